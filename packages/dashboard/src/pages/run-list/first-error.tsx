import type { RunListItem } from '@runledger/protocol'

/** The beginning of why a run failed, where the service knows. */
export function FirstError({ run }: { run: RunListItem }) {
  if (!run.first_error) return null
  return (
    <span className="line-clamp-3 font-mono text-sm whitespace-pre-wrap wrap-anywhere text-bad">
      {run.first_error.trim().replaceAll(/\n\s*\n/g, '\n')}
    </span>
  )
}
