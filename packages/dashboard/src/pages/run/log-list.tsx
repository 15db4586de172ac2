import type { RunLog } from '@runledger/protocol'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { ClockTime } from '../../ui/time-text'

const TONES = { DEBUG: 'quiet', INFO: 'quiet', WARNING: 'warn', ERROR: 'bad', CRITICAL: 'bad' } as const
const WORDS = { DEBUG: 'Debug', INFO: 'Info', WARNING: 'Warning', ERROR: 'Error', CRITICAL: 'Critical' }

/** What the test program logged, in the order sent. */
export function LogList({ logs }: { logs: readonly RunLog[] }) {
  return (
    <Card title="Log entries">
      <ol className="divide-y divide-line">
        {logs.map((log) => (
          <li
            key={log.id}
            className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2 md:grid md:grid-cols-[7rem_7.5rem_minmax(0,1fr)]"
          >
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
        ))}
      </ol>
    </Card>
  )
}
