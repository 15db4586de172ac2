import type { ErrorDetail } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Card } from '../../ui/card'

const DAY_MS = 86_400_000

/** How often the error happened on each day, the oldest first, with the same as a table. */
export function ErrorDays({ days }: Pick<ErrorDetail, 'days'>) {
  const oldestFirst = days.toReversed()
  const most = Math.max(...days.map(({ count }) => count))
  return (
    <Card title="When it happened">
      <div className="flex flex-col gap-2 p-4">
        <div aria-hidden className="flex h-20 items-end gap-0.5 border-b border-line">
          {fillGaps(oldestFirst).map(({ date, count, runs_count: runs }) => (
            <span
              key={date}
              title={`${date}: ${formatCount(count, 'time')} in ${formatCount(runs, 'run')}`}
              className={`max-w-6 grow rounded-t-sm ${count > 0 ? 'bg-bad' : ''}`}
              style={{ height: count === 0 ? 1 : `${Math.max((count / most) * 100, 4)}%` }}
            />
          ))}
        </div>
        <p className="flex justify-between text-sm text-soft">
          <span>{oldestFirst[0]?.date}</span>
          <span>at most {formatCount(most, 'time')} a day</span>
          <span>{oldestFirst.at(-1)?.date}</span>
        </p>
        <details className="text-sm">
          <summary className="text-soft hover:text-ink">As a table</summary>
          <table className="mt-2 text-left">
            <thead className="text-soft">
              <tr>
                <th scope="col" className="pr-6 font-normal">
                  Day (UTC)
                </th>
                <th scope="col" className="pr-6 text-right font-normal">
                  Occurrences
                </th>
                <th scope="col" className="text-right font-normal">
                  Runs
                </th>
              </tr>
            </thead>
            <tbody className="numeric">
              {days.map(({ date, count, runs_count: runs }) => (
                <tr key={date}>
                  <td className="pr-6">{date}</td>
                  <td className="pr-6 text-right">{count.toLocaleString('en')}</td>
                  <td className="text-right">{runs.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </div>
    </Card>
  )
}

const MAX_DAYS = 120

/** Days without the error stand between those with it, unless it is rare over years. */
function fillGaps(days: ErrorDetail['days']): ErrorDetail['days'] {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return days
  const length = Math.round((Date.parse(last.date) - Date.parse(first.date)) / DAY_MS) + 1
  if (length > MAX_DAYS) return days
  const known = new Map(days.map((day) => [day.date, day]))
  return Array.from({ length }, (_, index) => {
    const date = new Date(Date.parse(first.date) + index * DAY_MS).toISOString().slice(0, 10)
    return known.get(date) ?? { date, count: 0, runs_count: 0 }
  })
}
