import { parseTimestampUs, type Phase, type RunLog } from '@runledger/protocol'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { LazyList } from '../../ui/lazy-list'
import { ClockTime } from '../../ui/time-text'

const TONES = { DEBUG: 'quiet', INFO: 'quiet', WARNING: 'warn', ERROR: 'bad', CRITICAL: 'bad' } as const
const WORDS = { DEBUG: 'Debug', INFO: 'Info', WARNING: 'Warning', ERROR: 'Error', CRITICAL: 'Critical' }
const ROW_PX = 61
const MAX_WITHIN = 50

export function LogList({ logs }: { logs: readonly RunLog[] }) {
  return (
    <Card title="Log entries">
      <LogEntries logs={logs} />
    </Card>
  )
}

export function LogEntries({ logs }: { logs: readonly RunLog[] }) {
  return (
    <LazyList
      items={logs}
      label="Log entries"
      rowsAtOnce={40}
      rowPx={ROW_PX}
      keyOf={({ id }) => id}
      className="divide-y divide-line"
      renderRow={(log) => (
        <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2 md:grid md:grid-cols-[7rem_7.5rem_minmax(0,1fr)]">
          <span>
            <Badge tone={TONES[log.level]} word={WORDS[log.level]} />
          </span>
          <span className="text-sm text-soft">
            <ClockTime at={log.timestamp} />
          </span>
          <div className="w-full min-w-0 md:w-auto">
            <p className="whitespace-pre-wrap wrap-anywhere">{log.message}</p>
            <p className="text-sm wrap-anywhere text-soft">
              {log.source_file}:{log.line_number}
            </p>
          </div>
        </li>
      )}
    />
  )
}

/** The last of what was logged while a step ran. */
export function selectLogsWithin(
  logs: readonly RunLog[],
  { started_at: start, ended_at: end }: Phase,
): RunLog[] {
  if (logs.length === 0) return []
  const [startUs = Infinity, endUs = -Infinity] = [parseTimestampUs(start), parseTimestampUs(end)]
  const within = logs.filter(({ timestamp }) => {
    const atUs = parseTimestampUs(timestamp)
    return atUs !== undefined && atUs >= startUs && atUs <= endUs
  })
  return within.slice(-MAX_WITHIN)
}
