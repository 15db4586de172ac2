import type { Attempt, ErrorDetail, SuiteTest, TestOutcome } from '@runledger/core'
import { hasRun, sumDurations, toRelativePath } from '@runledger/reporter-kit'
import { collectAttempts, formatTitlesKey, type SeenAttempt, type Titled } from './collect-attempts'
import { isOfHook } from './hook-errors'
import type { JestAssertion, JestCaseStart } from './jest-types'
import { selectLastTry, selectTryOfResults } from './last-try'
import { mapError } from './map-error'
import { groupAttempts, groupByTitles, matchAttempts } from './match-attempts'
import type { CaseEvent, RunningFile } from './running-files'

/** The note of a test without a reported end. */
const UNFINISHED_NOTE = 'under way when the suite was cut short'

interface TestFile {
  file: string
  rootDir: string
  startedAtMs: number
}

/** Maps final results in Jest's order. Case events add earlier attempts and, before Jest 30, starts. */
export function mapTests(
  results: readonly JestAssertion[],
  events: readonly CaseEvent[],
  file: TestFile,
): SuiteTest[] {
  const attempts = matchAttempts(results, collectAttempts(selectTryOfResults(events, results)).finished)
  let { startedAtMs } = file
  return results.map((result) => {
    if (!hasRun(result.status)) return mapUnrunTest(result, file)
    const test = mapRunTest(result, attempts.get(result), { ...file, startedAtMs })
    startedAtMs = test.startedAtMs + test.durationMs
    return test
  })
}

/** The final verdict counts: Jest 30 may fail a test that it reported as passed. */
function mapRunTest(
  result: JestAssertion,
  seen: readonly SeenAttempt[] | undefined,
  file: TestFile,
): SuiteTest {
  const { rootDir } = file
  const earlier = seen
    ? seen.slice(0, -1).map((attempt) => mapSeenAttempt(attempt, rootDir))
    : mapUnseenAttempts(result, rootDir)
  const last = createAttempt({
    status: result.status,
    errors: mapErrors(result, rootDir),
    startedAtMs: result.startAt ?? seen?.at(-1)?.startedAtMs ?? file.startedAtMs,
    durationMs: result.duration ?? undefined,
  })
  return createTest(result, [...earlier, last], file)
}

/** Maps case events of a file without final results: it crashed or was cut short. */
export function mapSeenTests(
  { test, caseEvents, startedAtMs }: RunningFile,
  rootDir: string,
  tries = 1,
): SuiteTest[] {
  const file = { file: toRelativePath(rootDir, test.path), rootDir, startedAtMs }
  const { finished, unfinished } = collectAttempts(selectLastTry(caseEvents, tries))
  const tests = [...groupByTitles(finished).values()]
    .flatMap(groupAttempts)
    .map((attempts) => mapSeenTest(attempts, file))
  for (const start of unfinished) {
    const retried = tests.find((each) => each.outcome === 'failed' && haveTitles(start, each.titles))
    if (retried) retried.note = UNFINISHED_NOTE
    else tests.push(createUnfinishedTest(listTitles(start), start.startedAt ?? startedAtMs))
  }
  return tests
}

function haveTitles(start: JestCaseStart, titles: readonly string[]): boolean {
  return (
    formatTitlesKey({ ancestorTitles: titles.slice(0, -1), title: titles.at(-1) ?? '' }) ===
    formatTitlesKey(start)
  )
}

function mapSeenTest(attempts: readonly SeenAttempt[], file: TestFile): SuiteTest {
  const last = attempts.at(-1) as SeenAttempt
  if (!hasRun(last.status)) return mapUnrunTest(last, file)
  return createTest(
    last,
    attempts.map((attempt) => mapSeenAttempt(attempt, file.rootDir)),
    file,
  )
}

function mapSeenAttempt(attempt: SeenAttempt, rootDir: string): Attempt {
  const { status, startedAtMs, durationMs } = attempt
  return createAttempt({ status, errors: mapErrors(attempt, rootDir), startedAtMs, durationMs })
}

/** Without case events, results have only one list of retry reasons. The last attempt gets the surplus. */
function mapUnseenAttempts({ invocations = 1, retryReasons }: JestAssertion, rootDir: string): Attempt[] {
  const count = invocations - 1
  return Array.from({ length: count }, (_, index) => {
    const failureMessages = retryReasons?.slice(index, index + 1 === count ? undefined : index + 1)
    return createAttempt({ status: 'failed', errors: mapErrors({ failureMessages }, rootDir) })
  })
}

function mapErrors(
  { failureMessages, details }: Pick<JestAssertion, 'failureMessages' | 'details'>,
  rootDir: string,
): ErrorDetail[] {
  return failureMessages?.map((text, index) => mapError(text, rootDir, details?.[index])) ?? []
}

function createAttempt(fields: Omit<Attempt, 'attachments' | 'output'>): Attempt {
  const failsOutside = fields.status === 'failed' && fields.errors.some(isOfHook)
  return {
    startedAtMs: undefined,
    durationMs: undefined,
    attachments: [],
    output: [],
    ...fields,
    ...(failsOutside && { failsOutside }),
  }
}

type Declared = Titled & Pick<JestAssertion, 'status' | 'location'>

function createTest(declared: Declared, attempts: Attempt[], file: TestFile): SuiteTest {
  const { status } = declared
  const startedAtMs =
    attempts.find((attempt) => attempt.startedAtMs !== undefined)?.startedAtMs ?? file.startedAtMs
  return {
    titles: listTitles(declared),
    outcome: status === 'passed' ? 'passed' : 'failed',
    // When Jest 30 retries a describe block, earlier attempts may have passed.
    flaky: status === 'passed' && attempts.some((attempt) => attempt.status === 'failed'),
    startedAtMs,
    durationMs: sumDurations(attempts),
    attempts,
    ...locateTest(declared, file),
  }
}

function mapUnrunTest(declared: Declared, file: TestFile): SuiteTest {
  const outcome = declared.status === 'todo' ? 'todo' : 'skipped'
  return {
    ...createUnrunTest(listTitles(declared), outcome, file.startedAtMs),
    ...locateTest(declared, file),
  }
}

function locateTest({ location }: Declared, { file }: TestFile): Pick<SuiteTest, 'location'> {
  return location ? { location: { file, line: location.line, column: location.column } } : {}
}

/** Jest never reported its end. */
export function createUnfinishedTest(titles: string[], startedAtMs: number): SuiteTest {
  return { ...createUnrunTest(titles, 'not-run', startedAtMs), note: UNFINISHED_NOTE }
}

function createUnrunTest(titles: string[], outcome: TestOutcome, startedAtMs: number): SuiteTest {
  return { titles, outcome, flaky: false, startedAtMs, durationMs: 0, attempts: [] }
}

function listTitles({ ancestorTitles, title }: Titled): string[] {
  return [...ancestorTitles, title]
}
