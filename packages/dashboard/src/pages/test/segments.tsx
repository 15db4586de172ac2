import type { TestSegment } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { formatInterval, formatRate } from '../../format/rate'
import { BuildNote } from '../../parts/build-name'
import { StateBadge } from '../../parts/test-name'
import { Card } from '../../ui/card'

/** The stretches of builds over which the test failed at one rate, the newest first. */
export function Segments({ segments }: { segments: TestSegment[] }) {
  if (segments.length < 2) return null
  return (
    <Card title="Segments">
      <ol className="divide-y divide-line">
        {segments.toReversed().map((segment) => (
          <li
            key={segment.first_build.group}
            className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5 text-sm"
          >
            <span className="w-24">
              <StateBadge state={segment.state} />
            </span>
            <span className="min-w-0">
              from <BuildNote build={segment.first_build} /> to <BuildNote build={segment.last_build} />
            </span>
            <span className="numeric ml-auto text-soft">
              {formatCount(segment.builds, 'build')}, {formatRate(segment.failures)} failed (
              {formatInterval(segment.failures)})
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
