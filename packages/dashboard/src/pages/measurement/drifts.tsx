import type { LineMeasurement } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { formatAmount, formatDifference } from '../../format/line'
import { measurementLink } from '../../line-links'
import type { LineDays } from '../../line-search'
import { runLink } from '../../links'
import { Defined } from '../../parts/definitions'
import { Card } from '../../ui/card'
import { MinuteTime } from '../../ui/time-text'
import { formatP } from './judge'
import { findTrend } from './trend'

/** When the mean changed for good, by how much, and what began then; the last change first. */
export function Drifts({ found, days }: { found: LineMeasurement; days: LineDays }) {
  const { drifts, values, unit } = found
  return (
    <Card title="Drift">
      {drifts.length === 0 ? (
        <p className="px-4 py-3 text-soft">
          No lasting change of the <Defined as="drift">mean</Defined> in {values.length.toLocaleString('en')}{' '}
          values.
        </p>
      ) : (
        <>
          <Trend found={found} />
          <ol className="divide-y divide-line">
            {drifts.toReversed().map((drift) => {
              const first = values[drift.index]
              return (
                <li key={drift.index} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5">
                  <span>
                    since{' '}
                    {first && (
                      <Link
                        {...runLink(first.run_id)}
                        className="underline"
                        title={`Run of ${first.serial_number}`}
                      >
                        <MinuteTime at={drift.started_at} />
                      </Link>
                    )}
                  </span>
                  <span className="numeric">
                    {formatAmount(drift.mean_before, unit)} → {formatAmount(drift.mean_after, unit)}
                  </span>
                  <span className="numeric font-medium">
                    <Defined as="drift">{formatDifference(drift.sigmas, null)} σ</Defined>
                  </span>
                  <BeganWith found={found} names={drift.began_with} days={days} />
                  <span className="numeric ml-auto text-sm text-soft">p {formatP(drift.p_value)}</span>
                </li>
              )
            })}
          </ol>
        </>
      )}
    </Card>
  )
}

/** The last changes in one direction as one: a slow drift shows as several steps. */
function Trend({ found: { drifts, unit } }: { found: LineMeasurement }) {
  const trend = findTrend(drifts)
  if (!trend) return null
  const { first, last, sigmas, steps } = trend
  return (
    <p className="border-b border-line px-4 py-2.5">
      The mean has {sigmas > 0 ? 'risen' : 'fallen'} since{' '}
      <strong className="font-semibold">
        <MinuteTime at={first.started_at} />
      </strong>{' '}
      from {formatAmount(first.mean_before, unit)} to {formatAmount(last.mean_after, unit)}, by{' '}
      {formatDifference(sigmas, null)} σ within the process{steps === 1 ? '' : ` in ${steps} steps`}.
    </p>
  )
}

interface BeganWithProps {
  found: LineMeasurement
  /** Each a kind and a name, such as `batch LOT-2`. */
  names: readonly string[]
  days: LineDays
}

function BeganWith({ found, names, days }: BeganWithProps) {
  if (names.length === 0)
    return <span className="text-sm text-soft">no batch, station or version began then</span>
  const { procedure, phase, measurement } = found
  return (
    <span className="text-sm">
      began with{' '}
      {names.map((text, index) => {
        const [kind = '', ...words] = text.split(' ')
        const name = words.join(' ')
        return (
          <span key={text}>
            {index > 0 && ', '}
            {kind}{' '}
            <Link
              {...measurementLink(procedure.id, { days, phase, measurement, [kind]: name })}
              className="wrap-anywhere underline"
            >
              {name}
            </Link>
          </span>
        )
      })}
    </span>
  )
}
