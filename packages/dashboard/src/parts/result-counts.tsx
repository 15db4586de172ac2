import type { ResultCounts } from '@runledger/protocol'
import { formatWholeNumber } from '@runledger/protocol'

const WORDS = [
  ['failed', 'text-bad font-medium'],
  ['flaky', 'text-warn font-medium'],
  ['passed', ''],
  ['skipped', 'text-soft'],
] as const

export function ResultCountsText({ counts }: { counts: ResultCounts }) {
  const shown = WORDS.filter(([name]) => counts[name] > 0)
  if (shown.length === 0) return <span className="text-soft">no tests</span>
  return (
    <span className="numeric">
      {shown.map(([name, className], index) => (
        <span key={name} className={className}>
          {index > 0 && ', '}
          {formatWholeNumber(counts[name])} {name}
        </span>
      ))}
    </span>
  )
}
