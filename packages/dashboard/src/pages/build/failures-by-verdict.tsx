import {
  type Build,
  type BuildTest,
  type FailureVerdict,
  formatNotCompared,
  type Verdict,
  type VerdictList,
} from '@runledger/protocol'
import { explainVerdict, firstLine, VERDICT_LOOKS } from '@runledger/presentation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buildTestsQuery } from '../../api/history'
import { buildLink } from '../../history-links'
import { KnownRunLink } from '../../parts/known-run-link'
import { OwnerLink } from '../../parts/noun-links'
import { describePlace, RunOf, TestName } from '../../parts/test-name'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { Loading } from '../../ui/loading'
import { UnknownBranch } from '../../ui/unknown-branch'

const SHOWN = 8

interface FailuresProps {
  build: Build
  verdicts: VerdictList | undefined
}

/** The failures of the build: new ones first, then those that failed before, then flaky ones. */
export function FailuresByVerdict({ build, verdicts }: FailuresProps) {
  const read = useInfiniteQuery(buildTestsQuery(build.group, { outcomes: ['failed'] }))
  if (!verdicts || verdicts.data.length === 0) return null
  if (read.isPending) return <Loading label="Reading the failures" rows={6} rowClass="h-12" />
  const tests = new Map(
    (read.data?.pages ?? []).flatMap(({ data }) =>
      data.map((one) => [keyOf(one.run_id, one.test.name), one]),
    ),
  )
  const names = (Object.keys(VERDICT_LOOKS) as Verdict[]).filter((name) => verdicts.counts[name] > 0)
  return (
    <>
      {names.map((name) => (
        <VerdictCard
          key={name}
          name={name}
          group={build.group}
          count={verdicts.counts[name]}
          failures={verdicts.data.filter(({ verdict }) => verdict === name)}
          tests={tests}
        />
      ))}
      {verdicts.more_failures > 0 && (
        <p className="text-sm text-soft">{formatNotCompared(verdicts.more_failures)}</p>
      )}
      <UnknownBranch verdicts={verdicts} />
    </>
  )
}

function keyOf(runId: string, name: string): string {
  return `${runId} ${name}`
}

interface VerdictCardProps {
  name: Verdict
  group: string
  count: number
  failures: FailureVerdict[]
  tests: ReadonlyMap<string, BuildTest>
}

function VerdictCard({ name, group, count, failures, tests }: VerdictCardProps) {
  const { word, tone } = VERDICT_LOOKS[name]
  return (
    <Card title={`${word} (${count.toLocaleString('en')})`} aside={<Badge tone={tone} word={word} />}>
      <ul className="divide-y divide-line">
        {failures.slice(0, SHOWN).map((failure) => (
          <FailureRow
            key={failure.phase_id}
            failure={failure}
            test={tests.get(keyOf(failure.run_id, failure.name))}
          />
        ))}
      </ul>
      {count > SHOWN && (
        <p className="border-t border-line px-4 py-2 text-sm">
          <Link
            {...buildLink(group, { tab: 'tests', outcome: ['failed'] })}
            resetScroll={false}
            className="underline"
          >
            All failed tests
          </Link>
          <span className="text-soft">, {(count - SHOWN).toLocaleString('en')} more of these among them</span>
        </p>
      )}
    </Card>
  )
}

function FailureRow({ failure, test }: { failure: FailureVerdict; test: BuildTest | undefined }) {
  return (
    <li className="flex flex-col gap-0.5 px-4 py-2.5">
      <p className="flex flex-wrap items-baseline gap-x-3">
        {test ? (
          <TestName test={test.test} />
        ) : (
          <span className="font-medium wrap-anywhere">{failure.name}</span>
        )}
        <RunOf runId={failure.run_id} name={failure.name} />
        {test?.owner && <OwnerLink owner={test.owner} />}
      </p>
      {test && <p className="text-sm wrap-anywhere text-soft">{describePlace(test.test)}</p>}
      {test?.error && <p className="truncate font-mono text-sm text-bad">{firstLine(test.error.message)}</p>}
      <p className="text-sm text-soft">
        {explainVerdict(failure).map((part) =>
          typeof part === 'string' ? part : <KnownRunLink key={part.id} run={part} />,
        )}
      </p>
    </li>
  )
}
