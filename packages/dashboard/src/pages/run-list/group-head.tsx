import {
  type Build,
  countVerdict,
  formatNotCompared,
  formatTestCounts,
  readTestCounts,
  type RunListItem,
  sumOutsideLimits,
  type Verdict,
  type VerdictList,
} from '@runledger/protocol'
import {
  BUILD_LOOKS,
  describeOutcome,
  formatCount,
  formatDuration,
  formatMicroseconds,
  type GroupSum,
  nameRun,
  sumUpGroup,
  VERDICT_LOOKS,
} from '@runledger/protocol/reading'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { buildQuery } from '../../api/build'
import { GROUP_REFRESH_MS, groupQuery, type GroupRuns } from '../../api/run-list'
import { useNewRuns } from '../../api/use-new-runs'
import { groupVerdictsQuery } from '../../api/verdicts'
import { runLink, runListLink } from '../../links'
import { EMPTY_FILTER } from '../../run-filter'
import { Badge } from '../../ui/badge'
import { Facts } from '../../ui/facts'
import { MarkdownLink } from '../../ui/markdown-link'
import { OutsideLimits } from '../../ui/outside-limits'
import { RelativeTime } from '../../ui/time-text'
import { UnknownBranch } from '../../ui/unknown-branch'
import { GroupFailures } from './group-failures'

/** Heads the runs of a group with what they come to, whatever the filter below it hides. */
export function GroupHead({ group, markdown }: { group: string; markdown: string }) {
  const { data, refetch } = useQuery(groupQuery(group))
  const { data: build, refetch: refetchBuild } = useQuery(buildQuery(group))
  const filter = { ...EMPTY_FILTER, group }
  const readAgain = () => {
    void refetchBuild()
    return refetch()
  }
  useNewRuns({ filter, refreshMs: GROUP_REFRESH_MS, shown: data?.runs, onNew: readAgain })
  return (
    <header className="flex flex-col gap-3">
      <div className="flex items-center justify-between">
        <Link {...runListLink(EMPTY_FILTER)} className="flex items-center gap-1 text-sm">
          <ArrowLeft aria-hidden className="size-4" />
          All runs
        </Link>
        <MarkdownLink address={markdown} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {build && <Badge {...BUILD_LOOKS[build.state]} size="large" />}
        <h1 className="min-w-0 text-2xl font-semibold break-words">
          <span className="font-normal text-soft">Build </span>
          {group}
        </h1>
      </div>
      {build && build.missing.length > 0 && <MissingParts build={build} />}
      {data && data.runs.length > 0 && <GroupCounts group={group} read={data} />}
    </header>
  )
}

/** The missing parts of the build, above the recorded ones. */
function MissingParts({ build: { state, missing, last_reported_at: lastReportedAt } }: { build: Build }) {
  return (
    <section
      aria-label="What is missing"
      className="flex flex-col gap-1 rounded-lg border border-warn bg-warn-tint px-4 py-3"
    >
      <h2 className="font-semibold">
        {state === 'incomplete' ? 'Not all of this build is on record' : 'This build is running'}
      </h2>
      <ul className="list-disc pl-5">
        {missing.map((clause, index) => (
          // Executions of one minute on one machine may be called the same.
          <li key={`${index} ${clause}`} className="wrap-anywhere">
            {clause}
          </li>
        ))}
      </ul>
      <p className="text-sm text-soft">
        Last reported <RelativeTime at={lastReportedAt} />
      </p>
    </section>
  )
}

function GroupCounts({ group, read }: { group: string; read: GroupRuns }) {
  const sum = sumUpGroup(read.runs)
  const { data: verdicts } = useQuery(groupVerdictsQuery(group, sum.failed.length))
  return (
    <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
      <p className="flex flex-wrap items-center gap-2">
        <span className="mr-1 font-semibold">
          {read.isCut ? 'More than ' : ''}
          {formatCount(sum.runs, 'run')}
        </span>
        {sum.outcomes.map(({ outcome, count }) => {
          const { word, tone } = describeOutcome(outcome)
          return (
            <Badge key={outcome} tone={tone} word={`${count.toLocaleString('en')} ${word.toLowerCase()}`} />
          )
        })}
        <OutsideLimits run={{ outcome: 'PASS', measurements_outside_limits: sumOutsideLimits(read.runs) }} />
      </p>
      {verdicts && verdicts.data.length > 0 && <VerdictCounts verdicts={verdicts} />}
      <GroupFailures group={group} runs={sum.failed} verdicts={verdicts} />
      {verdicts && <UnknownBranch verdicts={verdicts} />}
      <Facts facts={listFacts(sum)} />
    </div>
  )
}

/** How many of the failures somebody has just caused. */
function VerdictCounts({ verdicts }: { verdicts: VerdictList }) {
  const { data, counts, more_failures: more } = verdicts
  const names = (Object.keys(VERDICT_LOOKS) as Verdict[]).filter((name) => counts[name] > 0)
  return (
    <p className="flex flex-wrap items-center gap-2">
      <span className="mr-1 font-semibold">{formatCount(data.length + more, 'failure')}</span>
      {names.map((name) => (
        <Badge key={name} tone={VERDICT_LOOKS[name].tone} word={countVerdict(counts[name], name)} />
      ))}
      {more > 0 && <Badge tone="quiet" word={formatNotCompared(more)} />}
    </p>
  )
}

function RunLinks({ runs, describe }: { runs: RunListItem[]; describe: (run: RunListItem) => string }) {
  return (
    <ul>
      {runs.map((run) => (
        <li key={run.id}>
          <Link {...runLink(run.id)} className="wrap-anywhere">
            {nameRun(run)}
          </Link>{' '}
          <span className="whitespace-nowrap text-soft">{describe(run)}</span>
        </li>
      ))}
    </ul>
  )
}

function Shards({ shards }: Pick<GroupSum, 'shards'>) {
  return (
    <ul>
      {shards.map(({ name, failed, spanUs }) => (
        <li key={name}>
          <span className="numeric wrap-anywhere">{name}</span>{' '}
          <span className="text-soft">{formatMicroseconds(spanUs)}</span>
          {failed > 0 && <span className="text-bad"> {failed} failed</span>}
        </li>
      ))}
    </ul>
  )
}

function describeFlaky(run: RunListItem): string {
  return formatCount(readTestCounts(run.metadata)?.flaky ?? 0, 'test')
}

function listFacts(sum: GroupSum) {
  return [
    { label: 'Started', value: <RelativeTime at={sum.startedAt} /> },
    { label: 'First start to last end', value: formatMicroseconds(sum.spanUs) },
    ...(sum.tests ? [{ label: 'Tests', value: formatTestCounts(sum.tests) }] : []),
    ...(sum.frameworks.length > 0 ? [{ label: 'Framework', value: sum.frameworks.join(', ') }] : []),
    ...(sum.shards.length > 0 ? [{ label: 'Shards', value: <Shards shards={sum.shards} /> }] : []),
    ...(sum.flaky.length > 0
      ? [{ label: 'Flaky', value: <RunLinks runs={sum.flaky} describe={describeFlaky} />, isWide: true }]
      : []),
    ...(sum.slowest.length > 0
      ? [
          {
            label: 'Slowest',
            value: <RunLinks runs={sum.slowest} describe={({ duration }) => formatDuration(duration)} />,
            isWide: true,
          },
        ]
      : []),
  ]
}
