import type { Build } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'

const MAX_PARTS = 60

/** How many shards have reported, amber where some are missing; nothing for a build that is not split. */
export function ShardBar({ build: { shards } }: { build: Build }) {
  const { reported, expected } = shards
  if (expected < 2) return null
  const isComplete = reported >= expected
  const text = isComplete
    ? `All ${formatCount(expected, 'shard')} reported`
    : `${reported} of ${formatCount(expected, 'shard')} reported`
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      {expected <= MAX_PARTS && (
        <span aria-hidden className="flex h-3 w-60 max-w-full gap-0.5">
          {Array.from({ length: expected }, (_, part) => (
            <span
              key={part}
              className={`grow rounded-sm ${part < reported ? (isComplete ? 'bg-good' : 'bg-quiet') : 'border border-dashed border-warn bg-warn-tint'}`}
            />
          ))}
        </span>
      )}
      <span className={isComplete ? 'text-soft' : 'font-medium text-warn'}>{text}</span>
    </div>
  )
}
