import { writeMeasurementCsv } from '@runledger/presentation'
import type { LineMeasurement } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { formatAmount } from '../../format/line'
import { runLink } from '../../links'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { MinuteTime } from '../../ui/time-text'
import type { LineValue } from './groups'
import { saveCsv } from './save-csv'

const MOST_ROWS = 500
const HEADS = ['Started', 'Unit', 'Value', 'Limits', 'Verdict', 'Station', 'Batch', 'Version', 'Breaks rule']

export function ValueTable({ found }: { found: LineMeasurement }) {
  const [isOpen, setIsOpen] = useState(false)
  const { values, measurement } = found
  return (
    <div className="flex flex-wrap items-start justify-between gap-2">
      <details className="min-w-0 grow" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="text-sm text-soft hover:text-ink">
          {values.length > MOST_ROWS
            ? `The last ${MOST_ROWS} of ${values.length.toLocaleString('en')} values as a table`
            : `The ${values.length.toLocaleString('en')} values as a table`}
        </summary>
        {isOpen && <Rows found={found} />}
      </details>
      <Button onClick={() => saveCsv(measurement, writeMeasurementCsv(found))}>
        <Download aria-hidden className="size-4" />
        Save as CSV
      </Button>
    </div>
  )
}

function Rows({ found: { values, violations, unit } }: { found: LineMeasurement }) {
  const rules = new Map<number, number[]>()
  for (const { index, rule } of violations) rules.set(index, [...(rules.get(index) ?? []), rule])
  const rows = values.map((value, index) => ({ value, broken: rules.get(index) ?? [] })).slice(-MOST_ROWS)
  return (
    <div className="mt-2 max-h-[32rem] overflow-auto" tabIndex={0} role="group" aria-label="Values">
      <table className="w-full text-left text-sm">
        <thead className="text-soft">
          <tr>
            {HEADS.map((word) => (
              <th key={word} scope="col" className="py-1 pr-4 font-normal whitespace-nowrap">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ value, broken }, index) => (
            <Row key={`${value.run_id} ${index}`} value={value} unit={unit} broken={broken} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ value, unit, broken }: { value: LineValue; unit: string | null; broken: number[] }) {
  const { limit_low: low, limit_high: high } = value
  const limits = [low === null ? '' : `≥ ${low}`, high === null ? '' : `≤ ${high}`].filter(
    (text) => text !== '',
  )
  return (
    <tr className="border-t border-line">
      <td className="py-1 pr-4 whitespace-nowrap">
        <MinuteTime at={value.started_at} />
      </td>
      <td className="py-1 pr-4 whitespace-nowrap">
        <Link {...runLink(value.run_id)} preload={false} title="Open its run">
          {value.serial_number}
        </Link>
      </td>
      <td className="numeric py-1 pr-4 whitespace-nowrap">{formatAmount(value.value, unit)}</td>
      <td className="numeric py-1 pr-4 whitespace-nowrap">{limits.join(', ')}</td>
      <td className="py-1 pr-4">
        <Badge tone={value.passed ? 'good' : 'bad'} word={value.passed ? 'Passed' : 'Failed'} />
      </td>
      <td className="py-1 pr-4 whitespace-nowrap">{value.station}</td>
      <td className="py-1 pr-4 whitespace-nowrap">{value.batch}</td>
      <td className="py-1 pr-4 whitespace-nowrap">{value.version}</td>
      <td className="py-1">{broken.join(', ')}</td>
    </tr>
  )
}
