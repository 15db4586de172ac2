import type { DurationChange } from '@runledger/protocol'
import { formatMs, formatRatio } from '../../format/rate'
import { BuildNote } from '../../parts/build-name'
import { Card } from '../../ui/card'

/** When the test got slower or faster, the newest first. */
export function Changes({ changes }: { changes: DurationChange[] }) {
  if (changes.length === 0) return null
  return (
    <Card title="Changes of its duration">
      <ol className="divide-y divide-line">
        {changes.toReversed().map((change, index) => (
          <li key={index} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5">
            <span className={`numeric font-medium ${change.ratio > 0 ? 'text-bad' : 'text-good'}`}>
              {formatRatio(change)} {change.ratio > 0 ? 'slower' : 'faster'}
            </span>
            <span className="numeric">
              {formatMs(change.before_ms)} → {formatMs(change.after_ms)}
            </span>
            <span className="min-w-0 text-sm">
              {change.build === null ? (
                <span className="text-soft">from a build that is not on record</span>
              ) : (
                <>
                  since <BuildNote build={change.build} />
                </>
              )}
            </span>
            <span className="numeric ml-auto text-sm text-soft">p = {change.p_value.toPrecision(2)}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
