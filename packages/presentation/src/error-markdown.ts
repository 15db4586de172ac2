import type { Page, ErrorDetail, ErrorListItem } from '@runledger/protocol'
import { describeNext } from './build-markdown'
import { firstLine } from './error-text'
import type { HistoryLinks } from './history-links'
import { BoundedMarkdown, code, codeBlock, codeLink, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { describeOutcome } from './outcome'
import { formatLocation } from './source-link'

const MAX_TESTS = 5
const MAX_BRANCHES = 5

export function formatErrorList({ data, meta }: Page<ErrorListItem>, links: HistoryLinks): string {
  const page = new BoundedMarkdown()
  page.add('# Why tests failed: errors that are the same but for numbers and the like are one')
  if (data.length === 0) page.add('There are no such errors.')
  page.addEach(data, {
    heading: '',
    format: (error) =>
      [
        `- ${codeLink(firstLine(error.message), links.error(error.fingerprint))}`,
        ...listFacts(error, links),
      ].join('\n  - '),
    what: (count) => formatCount(count, 'error'),
  })
  page.add(describeNext(meta.next_cursor))
  return page.end('ask for fewer errors with `limit`, then go on with `cursor`')
}

function listFacts(error: ErrorListItem, links: HistoryLinks): string[] {
  const { first_run: first, last_run: last, tests, branches } = error
  const named = tests.slice(0, MAX_TESTS)
  const left = error.tests_count - named.length
  return [
    `${formatCount(error.count, 'time')}, earlier attempts included, in ${formatCount(error.tests_count, 'test')}`,
    `first in run ${links.run(first.id)}, received ${first.created_at}; last in run ${links.run(last.id)}, received ${last.created_at}`,
    branches.length > 0 ? `branches ${branches.slice(0, MAX_BRANCHES).map(code).join(', ')}` : '',
    ...named.map(
      ({ file, name }) => `test ${joinFacts([file === null ? undefined : code(file), code(name)])}`,
    ),
    left > 0 ? formatCount(left, 'more test') : '',
  ].filter((fact) => fact !== '')
}

const MAX_RUNS = 10

export function formatErrorPage(detail: ErrorDetail, links: HistoryLinks): string {
  const { error, days, runs } = detail
  const page = new BoundedMarkdown()
  page.add(`# Error ${codeLink(firstLine(error.message), links.error(detail.fingerprint))}`)
  page.add(codeBlock(error.message))
  if (error.location) page.add(`At ${code(formatLocation(error.location))}`)
  if (error.snippet !== undefined) page.add(codeBlock(error.snippet))
  page.add(
    listFacts(detail, links)
      .map((fact) => `- ${fact}`)
      .join('\n'),
  )
  page.addEach(days, {
    heading: '## Days, by when runs were received',
    format: ({ date, count, runs_count: ofRuns }) =>
      `- ${date}: ${formatCount(count, 'time')} in ${formatCount(ofRuns, 'run')}`,
    what: (count) => formatCount(count, 'day'),
  })
  page.addEach(runs, {
    heading: '## Last runs',
    most: MAX_RUNS,
    format: (run) =>
      `- ${describeOutcome(run.outcome).word}: ${links.run(run.id)} · started ${run.started_at}`,
    what: (count) => formatCount(count, 'run'),
  })
  return page.end(links.error(detail.fingerprint))
}
