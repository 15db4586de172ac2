import type { RunFailure, RunListItem } from '@runledger/protocol'
import { describeOutcome, formatCount, formatLocation, nameRun } from '@runledger/protocol/reading'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { failuresQuery } from '../../api/run-list'
import { runLink } from '../../links'
import { FirstError } from './first-error'

const SHOWN_FAILURES = 20

/** Why the group did not pass, before all its runs. */
export function GroupFailures({ group, runs }: { group: string; runs: RunListItem[] }) {
  const shown = runs.slice(0, SHOWN_FAILURES)
  const { data: failures } = useQuery(
    failuresQuery(
      group,
      shown.map(({ id }) => id),
    ),
  )
  if (runs.length === 0) return null
  return (
    <section aria-label="What failed" className="flex flex-col gap-2">
      <h2 className="font-semibold">What failed</h2>
      <ul className="flex flex-col gap-3">
        {shown.map((run) => (
          <li key={run.id} className="border-l-2 border-bad pl-3">
            <Link {...runLink(run.id)} className="font-medium underline wrap-anywhere">
              {nameRun(run)}
            </Link>
            <span className="text-sm text-soft"> {describeFailure(run)}</span>
            <FailedTests run={run} failures={failures?.get(run.id) ?? []} />
          </li>
        ))}
      </ul>
      {runs.length > SHOWN_FAILURES && (
        <p className="text-sm text-soft">and {runs.length - SHOWN_FAILURES} more below</p>
      )}
    </section>
  )
}

function FailedTests({ run, failures }: { run: RunListItem; failures: RunFailure[] }) {
  if (failures.length === 0) return <FirstError message={run.first_error} />
  const left = countFailed(run) - failures.length
  return (
    <ul className="mt-1 flex flex-col gap-1.5">
      {failures.map(({ step, name, location, message }) => (
        <li key={step}>
          <Link {...runLink(run.id, step)} className="underline wrap-anywhere">
            {name}
          </Link>{' '}
          {location && (
            <span className="font-mono text-sm wrap-anywhere text-soft">{formatLocation(location)}</span>
          )}
          <FirstError message={message} />
        </li>
      ))}
      {left > 0 && <li className="text-sm text-soft">and {formatCount(left, 'more test')}</li>}
    </ul>
  )
}

function countFailed(run: RunListItem): number {
  return Number(run.metadata?.['tests_failed'] ?? 0)
}

function describeFailure(run: RunListItem): string {
  const failed = countFailed(run)
  return failed > 0
    ? `${formatCount(failed, 'test')} failed`
    : describeOutcome(run.outcome).word.toLowerCase()
}
