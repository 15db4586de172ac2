import type {
  Build,
  BuildListItem,
  BuildReference,
  Cause,
  Comparison,
  ComparedTest,
  BuildTest,
  Page,
} from '@runledger/protocol'
import { formatBuild } from './build'
import { formatMicroseconds } from './duration'
import { firstLine } from './error-text'
import type { HistoryLinks } from './history-links'
import { BoundedMarkdown, code, codeLink, joinFacts } from './markdown-text'
import { formatCount } from './number'

const COMMIT = 10

export function describeNext(cursor: string | number | null): string {
  return cursor === null ? '' : `More: ask again with \`cursor\` ${cursor}`
}

export function describeOrigin({
  branch,
  commit,
  author,
}: Omit<BuildReference, 'group' | 'started_at'>): string {
  return joinFacts([
    branch === null ? undefined : `branch ${code(branch)}`,
    commit === null ? undefined : `commit ${code(commit.slice(0, COMMIT))}`,
    author === null ? undefined : `by ${code(author)}`,
  ])
}

export function nameBuild(build: BuildReference, links: HistoryLinks): string {
  return joinFacts([codeLink(build.group, links.build(build.group)), describeOrigin(build)])
}

/** One line: the build's state, its result and its origin. */
export function formatBuildLine(build: BuildListItem, links: HistoryLinks): string {
  const { tests, commit_subject: subject } = build
  return `- ${formatBuild(build)}: ${joinFacts([
    codeLink(build.group, links.build(build.group)),
    subject === null ? undefined : code(subject),
    describeOrigin(build),
    describeCounts(tests),
    build.is_infrastructure ? 'infrastructure build' : undefined,
    `started ${build.started_at}`,
    formatMicroseconds(Math.round(build.duration_ms * 1000)),
  ])}`
}

export function describeCounts({ passed, failed, flaky, skipped }: BuildListItem['tests']): string {
  return `${passed} passed, ${failed} failed, ${flaky} flaky, ${skipped} skipped`
}

export function formatBuildList({ data, meta }: Page<BuildListItem>, links: HistoryLinks): string {
  const page = new BoundedMarkdown()
  page.add('# Builds, the last started first')
  if (data.length === 0) page.add('There are no such builds.')
  page.addEach(data, {
    heading: '',
    format: (build) => formatBuildLine(build, links),
    what: (count) => formatCount(count, 'build'),
  })
  page.add(describeNext(meta.next_cursor))
  return page.end('ask for fewer builds with `limit`, then go on with `cursor`')
}

/** `GET /v2/builds/{group}` as Markdown: its result, what is missing, why it failed. */
export function formatBuildPage(build: Build, links: HistoryLinks): string {
  const page = new BoundedMarkdown()
  page.add(`# Build ${codeLink(build.group, links.build(build.group))}: ${formatBuild(build)}`)
  page.add(
    listBuildFacts(build)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  )
  page.addEach(build.causes, {
    heading: '## Why it failed: results with the same first error are one cause',
    format: (cause) => formatCause(cause, links),
    total: build.causes_count,
    what: (count) => formatCount(count, 'cause'),
  })
  return page.end(`${links.build(build.group)}`)
}

function listBuildFacts(build: Build): string[] {
  const { shards, executions } = build
  return [
    joinFacts([
      build.commit_subject === null ? undefined : code(build.commit_subject),
      describeOrigin(build),
    ]),
    joinFacts([
      build.pull_request === null ? undefined : `pull request ${code(build.pull_request)}`,
      build.event === null ? undefined : `event ${code(build.event)}`,
      build.ci_build_url === null ? undefined : `CI ${code(build.ci_build_url)}`,
    ]),
    `Results, one for each test and run: ${describeCounts(build.tests)}; ${formatCount(build.runs.total, 'run')}, ${build.runs.failed} failed`,
    shards.expected > 0 ? `${shards.reported} of ${formatCount(shards.expected, 'shard')} reported` : '',
    executions.begun > 0 ? `${executions.ended} of ${formatCount(executions.begun, 'execution')} ended` : '',
    build.is_infrastructure
      ? 'Infrastructure build: at least 80 % of its results failed, or one error is in 30 % of them; no rate counts it'
      : '',
    `Started ${build.started_at}, ended ${build.ended_at}`,
    build.previous_group === null ? '' : `Build before: ${code(build.previous_group)}`,
  ].filter((fact) => fact !== '')
}

const MAX_NAMED = 5

function formatCause(cause: Cause, links: HistoryLinks): string {
  const tests = cause.tests.slice(0, MAX_NAMED)
  const left = cause.tests_count - tests.length
  return [
    `- ${joinFacts([
      formatCount(cause.tests_count, 'test'),
      codeLink(firstLine(cause.message), links.error(cause.fingerprint)),
      cause.location === null ? undefined : `at ${code(cause.location)}`,
    ])}`,
    ...tests.map((test) => `  - ${codeLink(test.name, links.test(test.id))} · run ${links.run(test.run_id)}`),
    ...(left > 0 ? [`  - ${formatCount(left, 'more test')}`] : []),
  ].join('\n')
}

export function formatBuildTests(
  { data, meta }: Page<BuildTest>,
  group: string,
  links: HistoryLinks,
): string {
  const page = new BoundedMarkdown()
  page.add(`# Tests of build ${codeLink(group, links.build(group))}`)
  if (data.length === 0) page.add('There are no such results.')
  page.addEach(data, {
    heading: '',
    format: ({ test, outcome, duration_ms: ms, owner, error }) =>
      `- ${outcome}: ${joinFacts([
        codeLink(test.name, links.test(test.id)),
        test.file === null ? undefined : code(test.file),
        formatMicroseconds(Math.round(ms * 1000)),
        owner === null ? undefined : `owner ${code(owner)}`,
        error === null ? undefined : code(firstLine(error.message)),
      ])}`,
    what: (count) => formatCount(count, 'result'),
  })
  page.add(describeNext(meta.next_cursor))
  return page.end('ask for fewer results with `limit`, then go on with `cursor`')
}

const LISTS = [
  ['newly_failing', 'Newly failing: failed in head, passed in base'],
  ['still_failing', 'Still failing in both'],
  ['fixed', 'Fixed: failed in base, passed in head'],
  ['slower', 'Slower: one result against one, at least 20 % and 100 ms'],
  ['new', 'New: not in base'],
  ['gone', 'Gone: not in head'],
] as const

const MAX_COMPARED = 20

export function formatComparison(comparison: Comparison, links: HistoryLinks): string {
  const { base, head, counts, new_errors: errors } = comparison
  const page = new BoundedMarkdown()
  page.add('# Comparison of two builds')
  page.add(
    [
      `- Base ${nameBuild(base, links)}: ${describeCounts(counts.base)}`,
      `- Head ${nameBuild(head, links)}: ${describeCounts(counts.head)}`,
    ].join('\n'),
  )
  for (const [list, title] of LISTS)
    page.addEach(comparison[list].data, {
      heading: `## ${title} (${comparison[list].total})`,
      most: MAX_COMPARED,
      format: (compared) => formatCompared(compared, links),
      total: comparison[list].total,
      what: (count) => `${formatCount(count, 'test')} of "${title}"`,
    })
  page.addEach(errors, {
    heading: `## Errors only in head (${errors.length})`,
    most: MAX_COMPARED,
    format: (error) =>
      `- ${codeLink(firstLine(error.message), links.error(error.fingerprint))} · ${formatCount(error.tests_count, 'test')}`,
    what: (count) => formatCount(count, 'error'),
  })
  if (errors.length === 0 && LISTS.every(([list]) => comparison[list].total === 0))
    page.add('No test differs, and none fails in both.')
  return page.end('the operation `compareBuilds`')
}

function formatCompared({ test, base, head }: ComparedTest, links: HistoryLinks): string {
  return `- ${joinFacts([
    codeLink(test.name, links.test(test.id)),
    test.file === null ? undefined : code(test.file),
    base && head ? `${describeResult(base)} → ${describeResult(head)}` : describeResult(head ?? base),
  ])}`
}

function describeResult(result: ComparedTest['base']): string {
  return result === null
    ? ''
    : `${result.outcome} ${formatMicroseconds(Math.round(result.duration_ms * 1000))}`
}
