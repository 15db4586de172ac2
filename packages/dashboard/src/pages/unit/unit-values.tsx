import type { LineUnit, PlacedMeasurement } from '@runledger/protocol'
import { describeValueLimits, describeValuePlace, formatCount, formatNumber } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { runLink } from '../../links'
import { Card } from '../../ui/card'
import { ValueStrip } from './value-strip'

/** Paper has room for as many. */
const MOST_PRINTED = 60

/** Every measured value of the last runs as a tick within its limits and the values of other units. */
export function UnitValues({ history }: { history: LineUnit }) {
  const { verdicts, measurements, more_measurements: hasMore } = history
  const groups = verdicts.flatMap(({ procedure, last_run: run }) => {
    const values = measurements.filter(({ procedure_id: id }) => id === procedure.id)
    return run && values.length > 0 ? [{ procedure, run, values }] : []
  })
  return groups.map(({ procedure, run, values }) => (
    <Card
      key={procedure.id}
      title={`Values of ${procedure.name}`}
      aside={
        <Link {...runLink(run.id)} className="text-sm print:hidden">
          The run
        </Link>
      }
    >
      <ul className="divide-y divide-line">
        {values.map((value, index) => (
          <Value
            key={`${value.phase} ${value.measurement} ${index}`}
            value={value}
            isPrinted={index < MOST_PRINTED}
          />
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-sm text-soft print:py-1 print:text-xs">
        {values.length > MOST_PRINTED && (
          <span className="hidden print:inline">
            {formatCount(values.length - MOST_PRINTED, 'more value')} on the unit’s page.{' '}
          </span>
        )}
        {hasMore && 'The runs have more values than are shown here. '}
        Each strip shows the limits (green), the values of other units (line: all; box: the middle half) and
        the value of this unit (tick).
      </p>
    </Card>
  ))
}

function Value({ value, isPrinted }: { value: PlacedMeasurement; isPrinted: boolean }) {
  const { phase, measurement, unit, value: number, passed } = value
  return (
    <li
      className={`grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-1.5 md:grid-cols-[minmax(0,14rem)_8rem_minmax(0,1fr)_minmax(0,20rem)] print:grid-cols-[minmax(0,9rem)_5rem_minmax(0,1fr)_minmax(0,14rem)] print:py-0.5 print:text-xs ${isPrinted ? '' : 'print:hidden'}`}
    >
      <span className="min-w-0 wrap-anywhere">
        <span className="font-medium">{measurement}</span>
        {phase !== measurement && <span className="text-sm text-soft print:text-xs"> {phase}</span>}
      </span>
      <span className={`numeric text-right font-semibold ${passed ? '' : 'text-bad'}`}>
        {formatNumber(number)} {unit}
      </span>
      <span className="max-md:col-span-2 print:col-span-1">
        <ValueStrip value={value} />
      </span>
      <span className="text-sm text-soft max-md:col-span-2 print:col-span-1 print:text-xs">
        {!passed && <span className="font-medium text-bad">failed; </span>}
        {[describeValueLimits(value), describeValuePlace(value)].filter((text) => text !== '').join('; ')}
      </span>
    </li>
  )
}
