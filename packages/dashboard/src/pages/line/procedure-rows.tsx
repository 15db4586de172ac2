import type { LineProcedure, LineProcedureList } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DefinitionName } from '../../definitions'
import { formatYield, formatYieldInterval, nameMeasurement } from '../../format/line'
import { formatInterval, formatRate } from '../../format/rate'
import { lineProcedureLink, namedMeasurementLink } from '../../line-links'
import type { LineDays } from '../../line-search'
import { ROW_LINK } from '../../navigation/keys'
import { Defined } from '../../parts/definitions'
import { FacetLink } from '../../parts/noun-links'
import { Badge } from '../../ui/badge'

const COLUMNS =
  'lg:grid lg:grid-cols-[minmax(0,1.2fr)_10.5rem_minmax(0,1.6fr)_minmax(0,1.2fr)_minmax(0,1fr)] lg:gap-x-4'

const HEADS: [word: string, as?: DefinitionName][] = [
  ['Procedure'],
  ['First-pass yield', 'firstPassEver'],
  ['In control?', 'lineControl'],
  ['Worst measurement', 'pareto'],
  ['Worst batch', 'worstBatchOfPeriod'],
]

interface Shown {
  procedure: LineProcedure
  days: LineDays
}

/** Procedures as a table, which turns into cards where it is narrow. */
export function ProcedureRows({ list, days }: { list: LineProcedureList; days: LineDays }) {
  return (
    <>
      <div
        role="table"
        aria-label="Procedures"
        className="overflow-hidden rounded-lg border border-line bg-surface"
      >
        <div role="rowgroup" className="sr-only lg:not-sr-only">
          <div role="row" className={`border-b border-line bg-sunken px-4 py-2 text-sm text-soft ${COLUMNS}`}>
            {HEADS.map(([word, as]) => (
              <span key={word} role="columnheader">
                {as ? <Defined as={as}>{word}</Defined> : word}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="divide-y divide-line">
          {list.data.map((procedure) => (
            <ProcedureRow key={procedure.procedure.id} procedure={procedure} days={days} />
          ))}
        </div>
      </div>
      {list.has_more && (
        <p className="text-sm text-soft">
          These are the {list.data.length} procedures that were used last. Choose a project above to see
          another.
        </p>
      )}
    </>
  )
}

function ProcedureRow({ procedure: line, days }: Shown) {
  const { procedure, first_pass: first } = line
  return (
    <div role="row" className={`grid gap-x-4 gap-y-3 px-4 py-3 hover:bg-sunken sm:grid-cols-2 ${COLUMNS}`}>
      <span role="cell" className="col-span-full min-w-0 lg:col-span-1">
        <Link
          {...lineProcedureLink(procedure.id, { days })}
          {...ROW_LINK}
          className="font-semibold wrap-anywhere"
        >
          {procedure.name}
        </Link>
        <span className="block text-sm wrap-anywhere text-soft">{procedure.identifier}</span>
      </span>
      <Cell label="First-pass yield" note={formatYieldInterval(first)}>
        <span className="numeric text-base font-semibold">{formatYield(first.rate)}</span>
      </Cell>
      <ControlCell procedure={line} days={days} />
      <WorstMeasurement procedure={line} days={days} />
      <WorstBatch procedure={line} days={days} />
    </div>
  )
}

/** A cell that names its column where the head is out of sight. */
function Cell({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    <span role="cell" className="min-w-0">
      <span className="block text-sm text-soft lg:sr-only">{label} </span>
      {children}
      {note !== undefined && <span className="numeric block text-sm text-soft">{note}</span>}
    </span>
  )
}

const SHOWN_MEASUREMENTS = 3

/** Which of the checked measurements are not in control, those with the largest share of values first. */
function ControlCell({ procedure: { procedure, control }, days }: Shown) {
  const { checked, measurements } = control
  const known = checked.filter(({ in_control: isInControl }) => isInControl !== null)
  const out = known
    .filter(({ violating }) => violating > 0)
    .toSorted((one, other) => other.violating / other.values - one.violating / one.values)
  if (known.length === 0) return <Cell label="In control?">No numbers in this period</Cell>
  const note = `${known.length} of ${formatCount(measurements, 'measurement')} checked; by chance alone 3 of 200 values break a rule`
  return (
    <Cell label="In control?" note={note}>
      {out.length === 0 ? (
        <Badge tone="good" word="In control" />
      ) : (
        <>
          <Badge tone="warn" word={`${out.length} of ${known.length} not in control`} />
          <ul className="mt-1">
            {out.slice(0, SHOWN_MEASUREMENTS).map((one) => (
              <li key={`${one.phase} ${one.measurement}`} className="text-sm">
                <Link {...namedMeasurementLink(procedure.id, one, days)} className="wrap-anywhere underline">
                  {nameMeasurement(one)}
                </Link>
                <span className="text-soft">
                  : {one.violating} of {formatCount(one.values, 'value')} break a rule
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Cell>
  )
}

function WorstMeasurement({ procedure: { procedure, worst_measurement: worst }, days }: Shown) {
  if (worst === null) return <Cell label="Worst measurement">None failed</Cell>
  return (
    <Cell
      label="Worst measurement"
      note={
        <>
          fails {formatRate(worst.failures)}: {formatInterval(worst.failures)}
        </>
      }
    >
      {worst.has_numbers ? (
        <Link {...namedMeasurementLink(procedure.id, worst, days)} className="font-medium wrap-anywhere">
          {nameMeasurement(worst)}
        </Link>
      ) : (
        <span className="font-medium wrap-anywhere">{nameMeasurement(worst)}</span>
      )}
    </Cell>
  )
}

function WorstBatch({ procedure: { worst_batch: worst } }: Shown) {
  if (worst === null) return <Cell label="Worst batch">None: no batch of 5 units had a failure</Cell>
  return (
    <Cell
      label="Worst batch"
      note={`${formatYield(worst.first_pass.rate)} first pass: ${formatYieldInterval(worst.first_pass)}`}
    >
      <FacetLink facet="batch" value={worst.number} />
    </Cell>
  )
}
