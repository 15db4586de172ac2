import { describeOutsideLimits, type RunListItem } from '@runledger/protocol'
import { TriangleAlert } from 'lucide-react'

/** Marks a run that passed with values outside their limits. */
export function OutsideLimits({
  run,
}: {
  run: Pick<RunListItem, 'outcome' | 'measurements_outside_limits'>
}) {
  const text = describeOutsideLimits(run)
  if (text === undefined) return null
  return (
    <span className="flex items-center gap-1 text-sm font-medium text-warn">
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      {text}
    </span>
  )
}
