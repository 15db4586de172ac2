import { YIELD_GROUPS, type YieldGroup, type YieldList } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { formatYield } from '../../format/line'
import type { LineDays } from '../../line-search'
import { Defined } from '../../parts/definitions'
import { Card } from '../../ui/card'
import { Toggles } from '../../ui/toggles'
import { YieldChart } from './yield-chart'
import { failedRunsLink, findWorst, nameRow } from './yield-rows'
import { YieldTable } from './yield-table'

const WORDS: Record<YieldGroup, string> = {
  day: 'Day',
  week: 'Week',
  batch: 'Batch',
  station: 'Station',
  version: 'Version',
  revision: 'Revision',
}

interface YieldsByProps {
  yields: YieldList
  days: LineDays
  onChoose: (by: YieldGroup) => void
}

/** Yields by time as a chart, by anything else as bars, and the numbers of both as a table. */
export function YieldsBy({ yields, days, onChoose }: YieldsByProps) {
  const { by, data } = yields
  const isTime = by === 'day' || by === 'week'
  return (
    <Card
      title={`First-pass yield by ${by}`}
      aside={
        <Toggles
          label="Yield by"
          values={YIELD_GROUPS}
          chosen={[by]}
          wordOf={(one) => WORDS[one]}
          onChange={(chosen) => onChoose(chosen.find((one) => one !== by) ?? by)}
        />
      }
    >
      {data.length === 0 ? (
        <p className="px-4 py-3 text-soft">
          No unit was tested in the last {days} days. Choose a longer period above.
        </p>
      ) : (
        <>
          <Worst yields={yields} />
          {isTime && (
            <div className="px-4 pt-3">
              <YieldChart rows={data} by={by} />
            </div>
          )}
          <YieldTable yields={yields} />
        </>
      )}
    </Card>
  )
}

function Worst({ yields }: { yields: YieldList }) {
  const { by, procedure } = yields
  const worst = findWorst(yields.data)
  if (!worst) return null
  const { first_pass: first } = worst
  const link = failedRunsLink(procedure.id, by, worst)
  return (
    <p className="border-b border-line px-4 py-2.5">
      <Defined as="worstRow">Worst {by}</Defined>:{' '}
      <strong className="font-semibold wrap-anywhere">{nameRow(by, worst.key)}</strong>,{' '}
      {formatYield(first.rate)} first pass, {first.count.toLocaleString('en')} of{' '}
      {formatCount(first.of, 'unit')}.{' '}
      {link && (
        <Link {...link} className="underline">
          Its failed runs
        </Link>
      )}
    </p>
  )
}
