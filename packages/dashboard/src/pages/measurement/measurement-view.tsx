import type { LineMeasurement } from '@runledger/protocol'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { measurementLink } from '../../line-links'
import type { Colouring, MeasurementSearch } from '../../line-search'
import { COLOURINGS } from '../../line-search'
import { Definitions } from '../../parts/definitions'
import { Card } from '../../ui/card'
import { Toggles } from '../../ui/toggles'
import { ControlChart } from './control-chart'
import { Drifts } from './drifts'
import { GaugeStudy } from './gauge-study'
import { GroupTable } from './group-table'
import { groupValues } from './groups'
import { Histogram } from './histogram'
import { MeasurementHead } from './measurement-head'
import { ValueTable } from './value-table'
import { Verdicts } from './verdicts'
import type { MeasurementViewProps } from './view-props'

interface MeasurementPageProps extends MeasurementViewProps {
  /** As the address names it: the queries that began with the page name it so. */
  procedure: string
}

export function MeasurementView({ procedure, found, search }: MeasurementPageProps) {
  const navigate = useNavigate()
  const change = (part: MeasurementSearch) =>
    void navigate({
      ...measurementLink(found.procedure.id, { ...search, ...part }),
      replace: true,
      resetScroll: false,
    })
  const by = search.colour ?? 'station'
  return (
    <div className="flex flex-col gap-4">
      <MeasurementHead found={found} search={search} onChange={change} />
      {found.n === 0 ? (
        <Card title="Values">
          <p className="px-4 py-3 text-soft">
            No value in the last {search.days} days. Choose a longer period, or take a filter away.
          </p>
        </Card>
      ) : (
        <>
          <Verdicts found={found} search={search} />
          <Values found={found} by={by} onChange={change} />
          <Drifts found={found} days={search.days} />
          <Histogram found={found} />
        </>
      )}
      <GaugeStudy search={search} procedure={procedure} />
      <Definitions of={['control', 'capability', 'normality', 'drift', 'groups', 'gauge', 'samples']} />
    </div>
  )
}

const WORDS: Record<Colouring, string> = { batch: 'Batch', station: 'Station', version: 'Version' }

interface ValuesProps {
  found: LineMeasurement
  by: Colouring
  onChange: (part: MeasurementSearch) => void
}

function Values({ found, by, onChange }: ValuesProps) {
  const groups = useMemo(() => groupValues(found.values, by), [found, by])
  return (
    <Card
      title="Values in their order"
      aside={
        <Toggles
          label="Colour by"
          values={COLOURINGS}
          chosen={[by]}
          wordOf={(one) => WORDS[one]}
          onChange={(chosen) => onChange({ colour: chosen.find((one) => one !== by) ?? by })}
        />
      }
    >
      <div className="flex flex-col gap-4 p-4">
        {found.has_more && (
          <p className="text-sm text-soft">
            The period has more values: these are the last {found.n.toLocaleString('en')}.
          </p>
        )}
        <ControlChart found={found} groups={groups} by={by} />
        <ValueTable found={found} />
      </div>
      <GroupTable groups={groups} by={by} found={found} onChoose={(name) => onChange({ [by]: name })} />
    </Card>
  )
}
