import type { LineMeasurement } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatYield } from '../../format/line'
import { runLink } from '../../links'
import { Defined } from '../../parts/definitions'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { MinuteTime } from '../../ui/time-text'
import {
  type BrokenRule,
  judgeCapability,
  judgeControl,
  judgeNormality,
  listBrokenRules,
  type Verdict,
} from './judge'
import type { MeasurementViewProps } from './view-props'

/** Two questions, each with its own answer: capability means nothing before control. */
export function Verdicts({ found, search: { until } }: MeasurementViewProps) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="In control?">
        <div className="flex flex-col gap-2 px-4 py-3">
          <Answer verdict={judgeControl(found)} />
          <BrokenRules found={found} broken={listBrokenRules(found)} />
          <ControlLimits found={found} until={until} />
        </div>
      </Card>
      <Card title="Capable?">
        <div className="flex flex-col gap-2 px-4 py-3">
          <Answer verdict={judgeCapability(found)} />
          <Indices found={found} />
          <p className="text-sm text-soft">{judgeNormality(found)}</p>
        </div>
      </Card>
    </div>
  )
}

function Answer({ verdict: { word, tone, text } }: { verdict: Verdict }) {
  return (
    <p>
      <Badge tone={tone} word={word} /> {text}
    </p>
  )
}

function BrokenRules({ found, broken }: { found: LineMeasurement; broken: BrokenRule[] }) {
  if (broken.length === 0) return null
  return (
    <ul aria-label="Broken rules" className="flex list-disc flex-col gap-1 pl-5 text-sm">
      {broken.map(({ rule, text, indices }) => {
        const first = found.values[indices[0] ?? 0]
        return (
          <li key={rule}>
            <span className="font-medium">Rule {rule}</span>, {text}: {formatCount(indices.length, 'value')}
            {first && (
              <>
                , the first{' '}
                <Link {...runLink(first.run_id)} className="underline">
                  {first.serial_number}, <MinuteTime at={first.started_at} />
                </Link>
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function ControlLimits({ found, until }: { found: LineMeasurement; until: string | undefined }) {
  const { control } = found
  if (!control) return null
  const { individuals, moving_ranges: ranges, sigma, values } = control
  const round = (value: number) => String(Number(value.toPrecision(5))).replace('-', '−')
  return (
    <p className="numeric text-sm text-soft">
      <Defined as="control">Control limits</Defined> {round(individuals.lower)} to {round(individuals.upper)}
      {found.unit ? ` ${found.unit}` : ''}, σ within {round(sigma)}, moving ranges up to {round(ranges.upper)}
      ; from {until === undefined ? 'all' : 'the first'} {formatCount(values, 'value')}
      {until !== undefined && `, up to ${until}`}.
    </p>
  )
}

interface IndexRow {
  name: string
  index: { value: number; low: number; high: number } | null
}

function Indices({ found }: { found: LineMeasurement }) {
  const { within, overall, n, failed, in_control: isInControl } = found
  if (!overall) return null
  const rows: IndexRow[] = [
    { name: 'Cp', index: within?.spread ?? null },
    { name: 'Cpk', index: within?.centered ?? null },
    { name: 'Pp', index: overall.spread },
    { name: 'Ppk', index: overall.centered },
  ]
  return (
    <>
      <table className="numeric text-left text-sm">
        <thead className="text-soft">
          <tr>
            {['Index', 'Value', '95 % interval', 'n'].map((word) => (
              <th key={word} scope="col" className="py-0.5 pr-4 font-normal">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, index }) => (
            <tr key={name} className="border-t border-line">
              <th scope="row" className="py-1 pr-4 font-medium">
                {name}
              </th>
              {index ? (
                <IndexCells index={index} n={n} />
              ) : (
                <td colSpan={3} className="py-1 text-soft">
                  {name.startsWith('C') && !within
                    ? isInControl === null
                      ? 'none: control is unknown'
                      : 'none: not in control'
                    : 'none: it has one limit'}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-sm text-soft">
        <Defined as="capability">Several products call Ppk “Cpk”.</Defined> {failed.toLocaleString('en')} of{' '}
        {formatCount(n, 'value')} failed; normal values with this mean and σ overall would be outside in{' '}
        {formatExpected(overall.expected_outside)} of all.
      </p>
    </>
  )
}

function IndexCells({ index, n }: { index: NonNullable<IndexRow['index']>; n: number }): ReactNode {
  return (
    <>
      <td className="py-1 pr-4 font-semibold">{index.value.toFixed(2)}</td>
      <td className="py-1 pr-4">
        {index.low.toFixed(2)} to {index.high.toFixed(2)}
      </td>
      <td className="py-1">{n.toLocaleString('en')}</td>
    </>
  )
}

function formatExpected(share: number): string {
  if (share >= 0.0005) return formatYield(share)
  return share < 0.000_001 ? 'less than 1 in a million' : `${Math.round(share * 1_000_000)} in a million`
}
