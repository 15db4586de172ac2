import type { Attempt, ErrorDetail, SuiteTest, TestOutcome } from '@runledger/core'
import { hasRun } from '@runledger/reporter-kit'
import {
  collectAttempts,
  formatTitlesKey,
  selectLastTry,
  type SeenAttempt,
  type Titled,
} from './collect-attempts'
import type { JestAssertion, JestCaseStart } from './jest-types'
import { mapError } from './map-errors'
import { groupAttempts, groupByTitles, matchAttempts } from './match-attempts'
import type { CaseEvent, RunningFile } from './running-files'

/** Remark on a test whose end Jest never reported. */
const UNFINISHED_NOTE = 'under way when the suite was cut short'

/**
 * Maps a file's final results in Jest's order. Case events add what results lack: earlier attempts, and before Jest 30
 * the starts.
 */
export function mapTests(
  results: readonly JestAssertion[],
  events: readonly CaseEvent[],
  suiteStartMs: number,
): SuiteTest[] {
  const attempts = matchAttempts(results, collectAttempts(events).finished)
  let fallbackStartMs = suiteStartMs
  return results.map((result) => {
    if (!hasRun(result.status)) return mapUnrunTest(result, suiteStartMs)
    const test = mapRunTest(result, attempts.get(result), fallbackStartMs)
    fallbackStartMs = test.startedAtMs + test.durationMs
    return test
  })
}

/** The verdict is that of the final result: Jest 30 may fail a test after it reported that it passed. */
function mapRunTest(
  result: JestAssertion,
  seen: readonly SeenAttempt[] | undefined,
  fallbackStartMs: number,
): SuiteTest {
  const earlier = seen ? seen.slice(0, -1).map(mapSeenAttempt) : mapUnseenAttempts(result)
  const last = createAttempt({
    status: result.status,
    errors: mapErrors(result.failureMessages),
    startedAtMs: result.startAt ?? seen?.at(-1)?.startedAtMs ?? fallbackStartMs,
    durationMs: result.duration ?? undefined,
  })
  return createTest(result, [...earlier, last], fallbackStartMs)
}

/** Maps the case events of a file without final results: its worker crashed in each of so many tries, or it was cut short. */
export function mapSeenTests({ caseEvents, startedAtMs }: RunningFile, tries = 1): SuiteTest[] {
  const { finished, unfinished } = collectAttempts(tries > 1 ? selectLastTry(caseEvents, tries) : caseEvents)
  const tests = [...groupByTitles(finished).values()]
    .flatMap(groupAttempts)
    .map((attempts) => mapSeenTest(attempts, startedAtMs))
  for (const start of unfinished) {
    const retried = tests.find(({ outcome, titles }) => outcome === 'failed' && haveTitles(start, titles))
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

function mapSeenTest(attempts: readonly SeenAttempt[], suiteStartMs: number): SuiteTest {
  const last = attempts.at(-1) as SeenAttempt
  if (!hasRun(last.status)) return mapUnrunTest(last, suiteStartMs)
  return createTest(last, attempts.map(mapSeenAttempt), suiteStartMs)
}

function mapSeenAttempt({ status, failureMessages, startedAtMs, durationMs }: SeenAttempt): Attempt {
  return createAttempt({ status, errors: mapErrors(failureMessages), startedAtMs, durationMs })
}

/** Earlier attempts without case events: of each, the result has only the reason why it was retried. */
function mapUnseenAttempts({ invocations = 1, retryReasons }: JestAssertion): Attempt[] {
  return Array.from({ length: invocations - 1 }, (_, index) =>
    createAttempt({ status: 'failed', errors: mapErrors(retryReasons?.slice(index, index + 1)) }),
  )
}

function mapErrors(failureMessages: readonly string[] | null | undefined): ErrorDetail[] {
  return failureMessages?.map(mapError) ?? []
}

function createAttempt(fields: Omit<Attempt, 'attachments' | 'output'>): Attempt {
  return { startedAtMs: undefined, durationMs: undefined, ...fields, attachments: [], output: [] }
}

function createTest(
  { status, ...titled }: Titled & { status: string },
  attempts: Attempt[],
  fallbackStartMs: number,
): SuiteTest {
  const last = attempts.at(-1) as Attempt
  const startedAtMs =
    attempts.find((attempt) => attempt.startedAtMs !== undefined)?.startedAtMs ?? fallbackStartMs
  const endedAtMs = (last.startedAtMs ?? startedAtMs) + (last.durationMs ?? 0)
  return {
    titles: listTitles(titled),
    outcome: status === 'passed' ? 'passed' : 'failed',
    // When Jest 30 retries a whole describe block, earlier attempts may have passed.
    flaky: status === 'passed' && attempts.some((attempt) => attempt.status === 'failed'),
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    attempts,
  }
}

function mapUnrunTest({ status, ...titled }: Titled & { status: string }, atMs: number): SuiteTest {
  return createUnrunTest(listTitles(titled), status === 'todo' ? 'todo' : 'skipped', atMs)
}

/** A test whose end Jest never reported. */
export function createUnfinishedTest(titles: string[], startedAtMs: number): SuiteTest {
  return { ...createUnrunTest(titles, 'not-run', startedAtMs), note: UNFINISHED_NOTE }
}

function createUnrunTest(titles: string[], outcome: TestOutcome, startedAtMs: number): SuiteTest {
  return { titles, outcome, flaky: false, startedAtMs, durationMs: 0, attempts: [] }
}

function listTitles({ ancestorTitles, title }: Titled): string[] {
  return [...ancestorTitles, title]
}
