import {
  type Client,
  type ErrorListItem,
  MAX_LISTED_FAILURES,
  MAX_PAGE_LIMIT,
  type Page,
  type RunListItem,
} from '@runledger/protocol'
import { firstLine } from '@runledger/presentation'
import { toErrorsQuery } from './errors'
import type { RecordFilter } from './filter'
import { readVariable, toRunsQuery } from './runs'
import { type History, readResults, type TestName, type TestRun } from './test-history'

/** A test that failed, or needed more than one attempt, with what became of it lately. */
export interface TestRecord extends TestName {
  /** Why it failed last, as far as is known. */
  message: string | null
  /** Null where its results cannot be told from those of others. */
  history: History | null
  /** The last run in which it failed, and in which it passed after a failed attempt, as far as is known. */
  last_failed: TestRun | null
  last_flaky: TestRun | null
}

export interface TestList {
  data: TestRecord[]
  /** There are more tests, or runs and errors that were not looked at. */
  meta: { has_more: boolean }
}

const FAILING = ['FAIL', 'ERROR', 'TIMEOUT', 'ABORTED'] as const
export const DEFAULT_TESTS = 20
export const MAX_TESTS = 50

/**
 * Tests that failed or were flaky in the last runs, with counts of their last results. Reads a page of failed runs and a page of
 * errors. The history would not do: it leaves out steps of clients that send no kind. `search` is a part of the name or the file.
 */
export async function listTests(client: Client, filter: RecordFilter): Promise<TestList> {
  const { limit = DEFAULT_TESTS, search = '' } = filter
  const wanted = { ...filter, search: undefined, limit: MAX_PAGE_LIMIT }
  const [runs, errors] = await Promise.all([
    client.listRuns({ query: { ...toRunsQuery(wanted), outcomes: [...FAILING], include_failures: true } }),
    client.listErrors({ query: { ...toErrorsQuery(wanted), kinds: ['test'] } }),
  ])
  const found = mergeTests([...runs.data.flatMap(listFailedTests), ...errors.data.flatMap(listTestsOf)])
  const matching = found.filter(({ name, file }) => contains(name, search) || contains(file ?? '', search))
  const listed = matching.slice(0, Math.min(limit, MAX_TESTS))
  const results = await readResults(client, listed, filter)
  const tests = listed.map(({ at: _at, failedIn, ...test }, index) => {
    const { history = null, last_failed = null, last_flaky = null } = results[index] ?? {}
    return { ...test, history, last_failed: last_failed ?? failedIn, last_flaky }
  })
  return {
    data: tests.toSorted((a, b) => timeOf(b) - timeOf(a)),
    meta: { has_more: matching.length > listed.length || isCut(runs) || isCutErrors(errors) },
  }
}

function isCut({ data, meta }: Page<RunListItem>): boolean {
  return meta.has_more || data.some(({ failures = [] }) => failures.length >= MAX_LISTED_FAILURES)
}

function isCutErrors({ data, meta }: Page<ErrorListItem>): boolean {
  return meta.has_more || data.some(({ tests, tests_count: count }) => count > tests.length)
}

/** When it last failed or was flaky. */
function timeOf({ last_failed: failed, last_flaky: flaky }: TestRecord): number {
  return Math.max(...[failed, flaky].map((run) => Date.parse(run?.started_at ?? '') || 0))
}

interface FoundTest extends TestName {
  message: string | null
  /** When the run began in which it was found. */
  at: string
  /** The run, where it is known to have failed in it. */
  failedIn: TestRun | null
}

function listFailedTests(run: RunListItem): FoundTest[] {
  const { id, identifier, name: procedureName } = run.procedure
  return (run.failures ?? []).map(({ name, location, message }) => ({
    name,
    file: location?.file ?? readVariable(run, 'file') ?? null,
    project: readVariable(run, 'project') ?? null,
    procedure: { id, identifier, name: procedureName },
    message: message === undefined ? null : firstLine(message),
    at: run.started_at,
    failedIn: {
      run_id: run.id,
      started_at: run.started_at,
      branch: readVariable(run, 'git_branch') ?? null,
    },
  }))
}

function listTestsOf({ tests, message, last_run: { started_at: at } }: ErrorListItem): FoundTest[] {
  return tests.map(({ count: _count, ...test }) => ({
    ...test,
    message: firstLine(message),
    at,
    failedIn: null,
  }))
}

/** Each test once, as it was found last, the newest first. */
function mergeTests(found: readonly FoundTest[]): FoundTest[] {
  const tests = new Map<string, FoundTest>()
  for (const test of found.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))) {
    const key = JSON.stringify([test.procedure.id, test.project, test.file, test.name])
    const later = tests.get(key)
    tests.set(key, later ? { ...later, failedIn: later.failedIn ?? test.failedIn } : test)
  }
  return [...tests.values()]
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
