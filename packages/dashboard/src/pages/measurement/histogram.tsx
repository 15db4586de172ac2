import type { LineMeasurement } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { formatAmount } from '../../format/line'
import { Card } from '../../ui/card'

export function Histogram({ found }: { found: LineMeasurement }) {
  return (
    <Card title="Distribution">
      <div className="flex flex-col gap-2 p-4">
        <Bars found={found} />
        <BinTable found={found} />
      </div>
    </Card>
  )
}

/** A place on the scale that the limits and the values need, from 0 to 1. */
function makeScale({ histogram, limits }: LineMeasurement): ((value: number) => number) | undefined {
  const ends = [histogram.at(0)?.from, histogram.at(-1)?.to, limits.low, limits.high]
  const known = ends.filter((end) => end !== undefined && end !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  if (!(high > low)) return undefined
  const margin = 0.02 * (high - low)
  return (value) => (value - low + margin) / (high - low + 2 * margin)
}

function Bars({ found }: { found: LineMeasurement }) {
  const { histogram, limits, mean, unit, n } = found
  const place = makeScale(found)
  if (!place) return <p className="text-soft">All {formatCount(n, 'value')} are equal.</p>
  const most = Math.max(...histogram.map(({ count }) => count))
  const marks = [
    { at: limits.low, word: 'lower limit', className: 'bg-bad text-bad' },
    { at: mean, word: 'mean', className: 'bg-good text-good' },
    { at: limits.high, word: 'upper limit', className: 'bg-bad text-bad' },
  ]
  return (
    <figure>
      <div
        role="img"
        aria-label="Histogram; the table below has it as text"
        className="relative h-44 border-b border-soft"
      >
        {histogram.map(({ from, to, count }) => (
          <div
            key={from}
            title={`${formatAmount(from, null)} to ${formatAmount(to, unit)}: ${formatCount(count, 'value')}`}
            className="absolute bottom-0 border-x border-surface bg-accent"
            style={{
              left: `${place(from) * 100}%`,
              width: `${(place(to) - place(from)) * 100}%`,
              height: `${(count / most) * 88}%`,
            }}
          />
        ))}
        {marks.map(
          ({ at, word, className }) =>
            at !== null && (
              <div
                key={word}
                className={`absolute inset-y-0 w-0.5 ${className}`}
                style={{ left: `calc(${place(at) * 100}% - 1px)` }}
              />
            ),
        )}
      </div>
      <figcaption className="mt-1.5 flex flex-wrap gap-x-5 text-sm">
        {marks.map(
          ({ at, word, className }) =>
            at !== null && (
              <span key={word} className="numeric inline-flex items-center gap-1.5 text-soft">
                <span aria-hidden className={`inline-block h-3 w-0.5 ${className}`} />
                {word} {formatAmount(at, unit)}
              </span>
            ),
        )}
        <span className="text-soft">n = {n.toLocaleString('en')}</span>
      </figcaption>
    </figure>
  )
}

function BinTable({ found: { histogram, unit } }: { found: LineMeasurement }) {
  return (
    <details>
      <summary className="text-sm text-soft hover:text-ink">The distribution as a table</summary>
      <table className="numeric mt-2 text-left text-sm">
        <thead className="text-soft">
          <tr>
            {['From', 'To', 'Values'].map((word) => (
              <th key={word} scope="col" className="py-0.5 pr-6 font-normal">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {histogram.map(({ from, to, count }) => (
            <tr key={from} className="border-t border-line">
              <td className="py-0.5 pr-6">{formatAmount(from, unit)}</td>
              <td className="py-0.5 pr-6">{formatAmount(to, unit)}</td>
              <td className="py-0.5">{count.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
