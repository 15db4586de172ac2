import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { formatAmount, nameMeasurement } from '../../format/line'
import { lineProcedureLink } from '../../line-links'
import type { MeasurementSearch } from '../../line-search'
import { DaysChoice } from '../../parts/days-choice'
import { FilterChips } from '../../parts/filter-chips'
import { BackLink } from '../../ui/back-link'
import { FactLine } from '../../ui/facts'
import { PageTitle } from '../../ui/page-title'
import { Choice } from '../../ui/picker'
import { RULE_SET_NAMES } from './judge'
import type { MeasurementViewProps } from './view-props'

const RULE_WORDS = {
  western_electric: `${RULE_SET_NAMES.western_electric} rules`,
  nelson: `${RULE_SET_NAMES.nelson} rules`,
}

const FILTERS = {
  batch: 'Batch',
  station: 'Station',
  version: 'Version',
  until: 'Limits from values until',
} as const

interface MeasurementHeadProps extends MeasurementViewProps {
  onChange: (part: MeasurementSearch) => void
}

export function MeasurementHead({ found, search, onChange }: MeasurementHeadProps) {
  const { procedure, unit, phase, measurement } = found
  const amount = (value: number | null) => formatAmount(value, unit)
  return (
    <header className="flex flex-col gap-3">
      <PageTitle text={`${nameMeasurement(found)}, ${procedure.name}`} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <BackLink link={lineProcedureLink(procedure.id, { days: search.days })}>{procedure.name}</BackLink>
        <div className="flex flex-wrap items-center gap-2">
          <UntilField key={search.until ?? ''} until={search.until} onChange={onChange} />
          <Choice
            label="Rules"
            value={search.rules ?? 'western_electric'}
            words={RULE_WORDS}
            onChoose={(rules) => onChange({ rules })}
          />
          <DaysChoice days={search.days} onChoose={(days) => onChange({ days })} />
        </div>
      </div>
      <h1 className="min-w-0 text-2xl font-semibold wrap-anywhere">
        {measurement !== phase && <span className="font-normal text-soft">{phase} › </span>}
        {measurement}
      </h1>
      <FactLine
        facts={[
          { label: 'Procedure', value: <Link {...lineProcedureLink(procedure.id)}>{procedure.name}</Link> },
          { label: 'Limits', value: describeLimits(found) },
          { label: 'Values', value: found.n.toLocaleString('en') },
          { label: 'Failed', value: found.failed.toLocaleString('en') },
          { label: 'Mean', value: amount(found.mean) },
          { label: 'Standard deviation', value: amount(found.standard_deviation) },
          { label: 'Least', value: amount(found.min) },
          { label: 'Greatest', value: amount(found.max) },
        ]}
      />
      <FilterChips labels={FILTERS} values={search} onRemove={(name) => onChange({ [name]: undefined })} />
    </header>
  )
}

function describeLimits({ limits: { low, high }, unit }: MeasurementViewProps['found']): string {
  if (low !== null && high !== null) return `${formatAmount(low, null)} to ${formatAmount(high, unit)}`
  if (low !== null) return `≥ ${formatAmount(low, unit)}`
  return high === null ? 'none' : `≤ ${formatAmount(high, unit)}`
}

interface UntilFieldProps {
  until: string | undefined
  onChange: (part: MeasurementSearch) => void
}

/** Freezes the control limits: they come only from values up to a day. */
function UntilField({ until, onChange }: UntilFieldProps) {
  const id = useId()
  return (
    <div className="flex items-center gap-2 text-sm">
      <label htmlFor={id} className="text-soft">
        Limits until
      </label>
      <input
        id={id}
        type="date"
        defaultValue={until}
        title="Control limits come only from values up to this day"
        onChange={({ target }) => {
          // A year that is being typed begins with zeros.
          if (target.value === '' || target.value >= '2000') onChange({ until: target.value || undefined })
        }}
        className="h-9 rounded-md border border-soft bg-surface px-2"
      />
    </div>
  )
}
