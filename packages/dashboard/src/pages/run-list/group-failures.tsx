import type { RunListItem } from '@runledger/protocol'
import { describeOutcome, formatCount, nameRun } from '@runledger/protocol/reading'
import { Link } from '@tanstack/react-router'
import { runLink } from '../../links'
import { FirstError } from './first-error'

const SHOWN_FAILURES = 20

/** Why the group did not pass, before all its runs. */
export function GroupFailures({ runs }: { runs: RunListItem[] }) {
  if (runs.length === 0) return null
  return (
    <section aria-label="What failed" className="flex flex-col gap-2">
      <h2 className="font-semibold">What failed</h2>
      <ul className="flex flex-col gap-2">
        {runs.slice(0, SHOWN_FAILURES).map((run) => (
          <li key={run.id} className="border-l-2 border-bad pl-3">
            <Link {...runLink(run.id)} className="underline wrap-anywhere">
              {nameRun(run)}
            </Link>
            <span className="text-sm text-soft"> {describeFailure(run)}</span>
            <FirstError run={run} />
          </li>
        ))}
      </ul>
      {runs.length > SHOWN_FAILURES && (
        <p className="text-sm text-soft">and {runs.length - SHOWN_FAILURES} more below</p>
      )}
    </section>
  )
}

function describeFailure(run: RunListItem): string {
  const failed = Number(run.metadata?.['tests_failed'] ?? 0)
  return failed > 0
    ? `${formatCount(failed, 'test')} failed`
    : describeOutcome(run.outcome).word.toLowerCase()
}
