import type { RunListItem } from '@runledger/protocol'

/** What tells a run from the others of its list: the test file where it has one, since all of an execution are of one procedure. */
export function nameRun(run: RunListItem): string {
  const file = run.metadata?.['file']
  return file === undefined || file === '' ? run.procedure.name : String(file)
}

/** The beginning of why a run failed, where the service knows. */
export function FirstError({ run }: { run: RunListItem }) {
  if (!run.first_error) return null
  return (
    <span className="line-clamp-3 font-mono text-sm whitespace-pre-wrap wrap-anywhere text-bad">
      {run.first_error.trim().replaceAll(/\n\s*\n/g, '\n')}
    </span>
  )
}
