import type { Home, HomeItem, HomeLine, HomeProject, Found, SearchResult } from '@runledger/protocol'
import { formatBuildLine } from './build-markdown'
import type { HistoryLinks } from './history-links'
import { BoundedMarkdown, code, codeLink, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { formatShare } from './rate'

/** `GET /v2/home` as Markdown: first what needs a person. */
export function formatHome({ projects, lines, needs_you: items }: Home, links: HistoryLinks): string {
  const page = new BoundedMarkdown()
  page.add('# What needs somebody')
  if (items.length === 0) page.add('Nothing.')
  page.addEach(items, {
    heading: '',
    format: (item) => formatItem(item, links),
    what: (count) => formatCount(count, 'item'),
  })
  page.addEach(projects, {
    heading: '## Projects',
    format: (project) => formatProject(project, links),
    what: (count) => formatCount(count, 'project'),
  })
  page.addEach(lines, {
    heading: '## Production, the last 28 days',
    format: formatLine,
    what: (count) => formatCount(count, 'procedure'),
  })
  return page.end('the operation `getHome`')
}

function formatItem({ kind, procedure, group, test, text }: HomeItem, links: HistoryLinks): string {
  const what = test
    ? codeLink(test.name, links.test(test.id))
    : group === null
      ? undefined
      : `build ${codeLink(group, links.build(group))}`
  return `- ${joinFacts([`${kind.replace('-', ' ')} in ${code(procedure.name)}`, what, code(text)])}`
}

function formatProject(project: HomeProject, links: HistoryLinks): string {
  const { procedure, default_branch: branch, builds, last_build: last, tests } = project
  return [
    `- ${joinFacts([code(procedure.name), branch === null ? 'all branches' : `branch ${code(branch)}`])}`,
    `  - Of ${formatCount(tests.total, 'test')} with results in the last 14 days: ${tests.broken} broken, ${tests.flaky} flaky, ${tests.slower} slower`,
    `  - Last ${formatCount(builds.length, 'build')}, the oldest first: ${builds.map(({ state }) => state).join(' ')}`,
    ...(last ? [`  ${formatBuildLine(last, links)}`] : []),
  ].join('\n')
}

function formatLine({
  procedure,
  units_tested: units,
  first_pass: first,
  worst_batch: worst,
}: HomeLine): string {
  const share = first.of === 0 ? 'unknown' : formatShare(first.passed / first.of)
  return `- ${joinFacts([
    code(procedure.name),
    `first-pass yield ${share} (${first.passed} of ${formatCount(first.of, 'unit')})`,
    `${formatCount(units, 'unit')} tested`,
    worst === null
      ? undefined
      : `worst batch ${code(worst.number)}: ${formatShare(worst.passed / worst.of)} (${worst.passed} of ${worst.of})`,
  ])}`
}

export function formatFound({ data }: SearchResult, links: HistoryLinks): string {
  const page = new BoundedMarkdown()
  page.add('# Found')
  if (data.length === 0) page.add('Nothing has this text in its name.')
  page.addEach(data, {
    heading: '',
    format: (found) =>
      `- ${found.kind}: ${joinFacts([nameFound(found, links), found.detail === null ? undefined : code(found.detail)])}`,
    what: (count) => formatCount(count, 'result'),
  })
  return page.end('ask for a longer text')
}

function nameFound({ kind, id, title }: Found, links: HistoryLinks): string {
  if (kind === 'test' || kind === 'build' || kind === 'error') return codeLink(title, links[kind](id))
  return code(title)
}
