import {
  countFailures,
  formatOutsideErrors,
  readTestCounts,
  type RunFailure,
  type RunListItem,
  type Verdict,
  type VerdictList,
} from '@runledger/protocol'
import {
  describeOutcome,
  formatCount,
  formatLocation,
  nameRun,
  VERDICT_LOOKS,
} from '@runledger/protocol/reading'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { failuresQuery } from '../../api/run-list'
import { listOfRun } from '../../api/verdicts'
import { runLink } from '../../links'
import { Badge } from '../../ui/badge'
import { FirstError } from './first-error'

const SHOWN_FAILURES = 20

interface GroupFailuresProps {
  group: string
  runs: RunListItem[]
  /** Undefined until they are read. */
  verdicts: VerdictList | undefined
}

/** Why the group did not pass, before all its runs. */
export function GroupFailures({ group, runs, verdicts }: GroupFailuresProps) {
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
            <FailedTests run={run} failures={failures?.get(run.id) ?? []} verdicts={verdicts} />
          </li>
        ))}
      </ul>
      {runs.length > SHOWN_FAILURES && (
        <p className="text-sm text-soft">and {runs.length - SHOWN_FAILURES} more below</p>
      )}
    </section>
  )
}

interface FailedTestsProps {
  run: RunListItem
  failures: RunFailure[]
  verdicts: VerdictList | undefined
}

function FailedTests({ run, failures, verdicts }: FailedTestsProps) {
  if (failures.length === 0) return <FirstError message={run.first_error} />
  const counts = readTestCounts(run.metadata)
  const left = (counts ? countFailures(counts) : 0) - failures.length
  const known = new Map(listOfRun(verdicts, run.id).map(({ name, verdict }) => [name, verdict]))
  return (
    <ul className="mt-1 flex flex-col gap-1.5">
      {failures.map(({ step, name, location, message }) => (
        <li key={step}>
          <Link {...runLink(run.id, step)} className="underline wrap-anywhere">
            {name}
          </Link>{' '}
          {location && (
            <span className="font-mono text-sm wrap-anywhere text-soft">{formatLocation(location)}</span>
          )}{' '}
          <VerdictBadge verdict={known.get(name)} />
          <FirstError message={message} />
        </li>
      ))}
      {left > 0 && <li className="text-sm text-soft">and {formatCount(left, 'more failure')}</li>}
    </ul>
  )
}

function VerdictBadge({ verdict }: { verdict: Verdict | undefined }) {
  return verdict === undefined ? null : <Badge {...VERDICT_LOOKS[verdict]} />
}

function describeFailure(run: RunListItem): string {
  const { failed = 0, errors = 0 } = readTestCounts(run.metadata) ?? {}
  const parts = [
    failed > 0 ? `${formatCount(failed, 'test')} failed` : '',
    errors > 0 ? formatOutsideErrors(errors) : '',
  ].filter((part) => part !== '')
  return parts.length > 0 ? parts.join(', ') : describeOutcome(run.outcome).word.toLowerCase()
}
