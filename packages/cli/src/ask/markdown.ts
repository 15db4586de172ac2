import {
  countVerdicts,
  type ErrorListItem,
  explainUnknownBranch,
  type FailureVerdict,
  type Page,
  type VerdictList,
} from '@runledger/protocol'
import {
  BoundedMarkdown,
  code,
  describeOutcome,
  firstLine,
  formatCount,
  formatReason,
  joinFacts,
  VERDICT_LOOKS,
} from '@runledger/presentation'
import type { History, TestRun } from './test-history'
import type { TestList, TestRecord } from './tests'

const MAX_NAMED_TESTS = 5

/** Which failures are new, as Markdown of bounded length. */
export function formatVerdicts(verdicts: VerdictList): string {
  const { data, more_failures: more } = verdicts
  const page = new BoundedMarkdown()
  page.add('## Compared with earlier runs')
  page.add(data.length === 0 ? 'There are no failures to compare.' : `- ${countVerdicts(verdicts)}`)
  const unknown = explainUnknownBranch(verdicts)
  if (unknown !== undefined) page.add(unknown)
  const order = Object.keys(VERDICT_LOOKS)
  page.addEach(
    data.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict)),
    {
      heading: '',
      format: formatVerdict,
      total: data.length + more,
      what: (count) => formatCount(count, 'failure'),
    },
  )
  return page.end('ask of one run at a time')
}

function formatVerdict(failure: FailureVerdict): string {
  return `- ${VERDICT_LOOKS[failure.verdict].word}: ${code(failure.name)} · ${formatReason(failure)}`
}

/** A page of errors as Markdown of bounded length. */
export function formatErrorList({ data, meta }: Page<ErrorListItem>): string {
  const page = new BoundedMarkdown()
  page.add('# Why tests failed')
  if (data.length === 0) page.add('There are no such errors.')
  page.addEach(data, { heading: '', format: formatListedError, what: (count) => formatCount(count, 'error') })
  if (meta.next_cursor !== null) page.add(`More errors: ask again with \`cursor\` ${meta.next_cursor}`)
  return page.end('ask for fewer errors with `limit`, then go on with `cursor`')
}

function formatListedError(error: ErrorListItem): string {
  const { first_run: first, last_run: last, tests, branches } = error
  const named = tests.slice(0, MAX_NAMED_TESTS)
  const left = error.tests_count - named.length
  const inTests = named.map(({ file, name }) =>
    joinFacts([file === null ? undefined : code(file), code(name)]),
  )
  return [
    `- ${code(firstLine(error.message))}`,
    `  - ${formatCount(error.count, 'time')} in ${formatCount(error.tests_count, 'test')}`,
    `  - first in run ${code(first.id)}, ${first.started_at}; last in run ${code(last.id)}, ${last.started_at}`,
    branches.length > 0 ? `  - branches ${branches.map(code).join(', ')}` : '',
    ...inTests.map((test) => `  - test ${test}`),
    left > 0 ? `  - ${formatCount(left, 'more test')}` : '',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

/** Tests that failed or were flaky, as Markdown of bounded length. */
export function formatTestList({ data, meta }: TestList): string {
  const page = new BoundedMarkdown()
  page.add('# Tests that failed or were flaky')
  if (data.length === 0) page.add('There are no such tests in the runs that were looked at.')
  page.addEach(data, { heading: '', format: formatListedTest, what: (count) => formatCount(count, 'test') })
  if (meta.has_more)
    page.add('There may be more: only the newest failed runs and errors were looked at. Filters find others.')
  return page.end('ask for fewer tests with `limit`, or with filters')
}

function formatListedTest(test: TestRecord): string {
  const { name, file, project, procedure, message, history, last_failed, last_flaky } = test
  const facts = [
    file === null ? undefined : code(file),
    project === null ? undefined : `project ${code(project)}`,
    `procedure ${code(procedure.name)}`,
  ]
  return [
    `- ${code(name)} · ${joinFacts(facts)}`,
    `  - ${history === null ? 'how often is not known' : describeHistory(history)}`,
    ...describeTestRun('last failed', last_failed),
    ...describeTestRun('last flaky', last_flaky),
    ...(message === null ? [] : [`  - ${code(message)}`]),
  ].join('\n')
}

function describeHistory({ results, failed, flaky, last_outcome: last }: History): string {
  return `of its last ${formatCount(results, 'result')} ${failed} failed and ${flaky} passed after a failed attempt; the last one: ${describeOutcome(last).word.toLowerCase()}`
}

function describeTestRun(what: string, run: TestRun | null): string[] {
  if (run === null) return []
  const branch = run.branch === null ? '' : ` on branch ${code(run.branch)}`
  return [`  - ${what} ${run.started_at ?? ''} in run ${code(run.run_id)}${branch}`]
}
