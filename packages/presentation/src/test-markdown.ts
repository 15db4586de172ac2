import type {
  DurationChange,
  FailingRow,
  TestDetail,
  TestListItem,
  TestPage,
  TestSegment,
} from '@runledger/protocol'
import { describeNext, nameBuild } from './build-markdown'
import { formatMicroseconds } from './duration'
import { firstLine } from './error-text'
import type { HistoryLinks } from './history-links'
import { BoundedMarkdown, code, codeLink, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { formatRate, formatShare } from './rate'

const formatMs = (ms: number) => formatMicroseconds(Math.round(ms * 1000))

/** What the numbers of tests count. */
const DEFINITIONS =
  'Failed: first attempts that failed. Flaky: results that passed after a failed attempt. Infrastructure builds and skipped tests are left out. Intervals are 95 %.'

export function formatTestList({ data, meta }: TestPage, links: HistoryLinks): string {
  const page = new BoundedMarkdown()
  page.add(`# Tests (${meta.total})`)
  page.add(data.length === 0 ? 'There are no such tests with results in the period.' : DEFINITIONS)
  page.addEach(data, {
    heading: '',
    format: (test) => formatListed(test, links),
    what: (count) => formatCount(count, 'test'),
  })
  page.add(describeNext(meta.next_cursor))
  return page.end('ask for fewer tests with `limit`, then go on with `cursor`')
}

function formatListed(test: TestListItem, links: HistoryLinks): string {
  const facts = joinFacts([
    test.file === null ? undefined : code(test.file),
    test.project === null ? undefined : `project ${code(test.project)}`,
    test.owner === null ? undefined : `owner ${code(test.owner)}`,
  ])
  return [
    `- ${joinFacts([codeLink(test.name, links.test(test.id)), facts, test.state])}`,
    `  - failed ${formatRate(test.failures)}; flaky ${formatRate(test.flakes)}`,
    `  - ${joinFacts([
      test.p50_ms === null ? undefined : `p50 ${formatMs(test.p50_ms)}`,
      test.change === null ? undefined : describeChange(test.change, links),
      test.cost_minutes > 0 ? `cost ${test.cost_minutes.toFixed(1)} min of builds` : undefined,
      `last results ${code(test.recent)}`,
    ])}`,
  ].join('\n')
}

function describeChange(
  { ratio, before_ms: before, after_ms: after, build, p_value: p }: DurationChange,
  links: HistoryLinks,
): string {
  const word = ratio > 0 ? 'slower' : 'faster'
  const since = build === null ? '' : ` since build ${codeLink(build.group, links.build(build.group))}`
  return `${formatShare(Math.abs(ratio))} ${word} (${formatMs(before)} → ${formatMs(after)}, p = ${p.toPrecision(2)})${since}`
}

const MAX_LISTED = 10

/** `GET /v2/tests/{id}` as Markdown: its state and rates, when it broke and was fixed, evidence, errors. */
export function formatTestPage(test: TestDetail, links: HistoryLinks): string {
  const page = new BoundedMarkdown()
  page.add(`# ${codeLink(test.name, links.test(test.id))}`)
  page.add(
    listFacts(test)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  )
  const list = <Item>(heading: string, items: readonly Item[], format: (item: Item) => string) =>
    page.addEach(items.slice(0, MAX_LISTED), {
      heading: `## ${heading}`,
      format: (item) => `- ${format(item)}`,
      total: items.length,
      what: (count) => `${count} of "${heading}"`,
    })
  list('Rows of failed builds, the newest first', test.failing_rows.toReversed(), (row) =>
    describeRow(row, links),
  )
  list('Segments, the newest first', test.segments.toReversed(), (segment) => describeSegment(segment, links))
  list('Changes of its duration, the newest first', test.changes.toReversed(), (change) =>
    describeChange(change, links),
  )
  list('Evidence that it is flaky', test.flaky_evidence, ({ kind, build }) =>
    joinFacts([
      kind === 'passed-on-retry' ? 'passed on a retry' : 'passed and failed on one commit',
      nameBuild(build, links),
    ]),
  )
  list('Errors', test.errors, ({ fingerprint, message, count, last_build: build }) =>
    joinFacts([
      codeLink(firstLine(message), links.error(fingerprint)),
      formatCount(count, 'time'),
      `last in build ${codeLink(build.group, links.build(build.group))}`,
    ]),
  )
  list('Earlier names', test.aliases, ({ name, file }) =>
    joinFacts([code(name), file === null ? undefined : code(file)]),
  )
  return page.end(links.test(test.id))
}

function listFacts(test: TestDetail): string[] {
  const place =
    test.file === null ? undefined : code(test.line === null ? test.file : `${test.file}:${test.line}`)
  return [
    joinFacts([
      place,
      test.project === null ? undefined : `project ${code(test.project)}`,
      `procedure ${code(test.procedure.name)}`,
      test.owner === null ? undefined : `owner ${code(test.owner)}`,
      test.tags.length === 0 ? undefined : `tags ${test.tags.map(code).join(', ')}`,
    ]),
    `${test.branch === null ? 'Results of all branches' : `Results of branch ${code(test.branch)}`}: ${test.results} counted. ${DEFINITIONS}`,
    `State ${test.state}; failed ${formatRate(test.failures)}; flaky ${formatRate(test.flakes)}`,
    joinFacts([
      test.p50_ms === null ? undefined : `p50 ${formatMs(test.p50_ms)}`,
      test.mean_ms === null ? undefined : `mean ${formatMs(test.mean_ms)}`,
      `cost ${test.cost_minutes.toFixed(1)} min of builds that it alone failed`,
    ]),
    `First seen ${test.first_seen_at}, last on ${test.last_seen_at.slice(0, 10)}`,
  ].filter((fact) => fact !== '')
}

function describeRow(
  { first_build: first, builds, passed_before: before, fixed_by: fixed }: FailingRow,
  links: HistoryLinks,
): string {
  return [
    before ? `last passed ${nameBuild(before, links)}` : 'no pass before is on record',
    `broken at ${nameBuild(first, links)}`,
    fixed ? `fixed by ${nameBuild(fixed, links)}` : 'still fails',
    formatCount(builds, 'build'),
  ].join('; ')
}

function describeSegment(
  { state, first_build: first, last_build: last, builds, failures }: TestSegment,
  links: HistoryLinks,
): string {
  return `${state}: ${formatCount(builds, 'build')} from ${codeLink(first.group, links.build(first.group))} to ${codeLink(last.group, links.build(last.group))}; failed ${formatRate(failures)}`
}
