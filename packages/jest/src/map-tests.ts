import type { Attempt, SuiteTest, TestOutcome } from '@runledger/core'
import { groupAttempts } from './group-attempts'
import type { JestAssertion, JestCaseStart } from './jest-types'
import { mapError } from './map-errors'
import { formatTestKey, haveSameTitles, type FileAccount, type LiveCase } from './running-files'

type Told = Pick<JestAssertion, 'ancestorTitles' | 'title' | 'status'>

const CUT_NOTE = 'under way when the suite was cut short'

/**
 * Maps a file's final results, in Jest's order, with the attempts that were seen live. Where those do not add up
 * to the final results (two projects ran the path at once), the final results stand alone.
 */
export function mapTests(
  results: readonly JestAssertion[],
  cases: readonly LiveCase[],
  suiteStartMs: number,
): SuiteTest[] {
  const seen = matchAttempts(results, cases)
  let cursorMs = suiteStartMs
  let ran = 0
  return results.map((result) => {
    if (!hasRun(result.status)) return mapUnrunTest(result, suiteStartMs)
    const attempts = mapAttempts(result, seen[ran], cursorMs)
    ran += 1
    const test = createTest(result, attempts, cursorMs)
    cursorMs = test.startedAtMs + test.durationMs
    return test
  })
}

/** Maps what was seen of a file that has no final results: it crashed, or was cut short. */
export function mapSeenTests(account: FileAccount): SuiteTest[] {
  const tests = [...groupAttempts(account.cases).values()]
    .flat()
    .map((attempts) => mapSeenTest(attempts, account.startedAtMs))
  for (const start of account.underWay) {
    const key = formatTestKey(start)
    const retried = tests.find(
      (test) =>
        test.outcome === 'failed' &&
        formatTestKey({ ancestorTitles: test.titles.slice(0, -1), title: test.titles.at(-1) as string }) ===
          key,
    )
    if (retried) retried.note = CUT_NOTE
    else tests.push(mapCutTest(start, account.startedAtMs))
  }
  return tests
}

function mapSeenTest(attempts: readonly LiveCase[], suiteStartMs: number): SuiteTest {
  const last = attempts.at(-1) as LiveCase
  if (!hasRun(last.status)) return mapUnrunTest(last, suiteStartMs)
  return createTest(last, attempts.map(mapLiveAttempt), suiteStartMs)
}

/**
 * The attempts of the final results that ran, in their places; undefined for titles whose numbers do not agree. One
 * attempt stands for itself.
 */
function matchAttempts(
  results: readonly JestAssertion[],
  cases: readonly LiveCase[],
): readonly (LiveCase | LiveCase[] | undefined)[] {
  const [ran, seen] = [results.filter(isRun), cases.filter(isRun)]
  if (areSame(ran, seen)) return seen
  const matched = new Map<JestAssertion, LiveCase[]>()
  const groups = groupAttempts(seen)
  for (const [key, finals] of groupByTitles(ran)) {
    const tests = orderLike(finals, groups.get(key) ?? [])
    const isTold = (final: JestAssertion, index: number): boolean =>
      tests[index]?.length === (final.invocations ?? 1)
    if (tests.length !== finals.length || !finals.every(isTold)) continue
    finals.forEach((final, index) => matched.set(final, tests[index] as LiveCase[]))
  }
  return ran.map((final) => matched.get(final))
}

/** Mostly each test was seen once, in the order of the results, which then need not be looked up by their titles. */
function areSame(finals: readonly JestAssertion[], seen: readonly LiveCase[]): boolean {
  return (
    finals.length === seen.length &&
    finals.every((final, index) => {
      const attempt = seen[index] as LiveCase
      const isOnly = (final.invocations ?? 1) === 1 && attempt.invocation === 1
      return isOnly && attempt.startedAtMs === final.startAt && haveSameTitles(final, attempt)
    })
  )
}

function isRun({ status }: { status: string }): boolean {
  return hasRun(status)
}

function groupByTitles(results: readonly JestAssertion[]): Map<string, JestAssertion[]> {
  const groups = new Map<string, JestAssertion[]>()
  for (const result of results) {
    const key = formatTestKey(result)
    const sameTitles = groups.get(key)
    if (sameTitles) sameTitles.push(result)
    else groups.set(key, [result])
  }
  return groups
}

/** By the start of the last attempt, which Jest 30 tells: a concurrent test is seen ahead of namesakes before it. */
function orderLike(finals: readonly JestAssertion[], tests: readonly LiveCase[][]): readonly LiveCase[][] {
  if (tests.length < 2) return tests
  const left = [...tests]
  const ordered = finals.flatMap(({ startAt, invocations = 1 }) => {
    const index = left.findIndex(
      (attempts) => attempts.length === invocations && attempts.at(-1)?.startedAtMs === startAt,
    )
    return left.splice(Math.max(0, index), 1)
  })
  return [...ordered, ...left]
}

/** The last attempt's verdict is the final one: Jest 30 may fail a test after it told that it passed. */
function mapAttempts(
  result: JestAssertion,
  seen: LiveCase | LiveCase[] | undefined,
  fallbackStartMs: number,
): Attempt[] {
  const several = Array.isArray(seen) ? seen : undefined
  const last = Array.isArray(seen) ? seen.at(-1) : seen
  const final = createAttempt(result.status, result.failureMessages ?? [], {
    startedAtMs: last?.startedAtMs ?? result.startAt ?? fallbackStartMs,
    durationMs: result.duration ?? undefined,
  })
  const count = several?.length ?? (last ? 1 : (result.invocations ?? 1))
  if (count < 2) return [final]
  if (several) return [...several.slice(0, -1).map(mapLiveAttempt), final]
  const earlier = Array.from({ length: count - 1 }, (_, index) =>
    createAttempt('failed', result.retryReasons?.slice(index, index + 1) ?? [], {}),
  )
  return [...earlier, final]
}

function mapLiveAttempt(attempt: LiveCase): Attempt {
  return createAttempt(attempt.status, attempt.failureMessages, attempt)
}

function createAttempt(
  status: string,
  failureMessages: readonly string[],
  { startedAtMs, durationMs }: Pick<Attempt, 'startedAtMs' | 'durationMs'>,
): Attempt {
  return {
    status,
    errors: failureMessages.map(mapError),
    startedAtMs,
    durationMs,
    attachments: [],
    output: [],
  }
}

function createTest(result: Told, attempts: Attempt[], fallbackStartMs: number): SuiteTest {
  const outcome: TestOutcome = result.status === 'passed' ? 'passed' : 'failed'
  const last = attempts.at(-1) as Attempt
  const startedAtMs = attempts.find(isTimed)?.startedAtMs ?? fallbackStartMs
  const endedAtMs = (last.startedAtMs ?? startedAtMs) + (last.durationMs ?? 0)
  return {
    titles: [...result.ancestorTitles, result.title],
    outcome,
    flaky: outcome === 'passed' && attempts.length > 1,
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    attempts,
  }
}

function isTimed({ startedAtMs }: Attempt): boolean {
  return startedAtMs !== undefined
}

function mapUnrunTest(result: Told, atMs: number): SuiteTest {
  const outcome = result.status === 'todo' ? 'todo' : 'skipped'
  const titles = [...result.ancestorTitles, result.title]
  return { titles, outcome, flaky: false, startedAtMs: atMs, durationMs: 0, attempts: [] }
}

function mapCutTest(start: JestCaseStart, atMs: number): SuiteTest {
  return {
    titles: [...start.ancestorTitles, start.title],
    outcome: 'not-run',
    flaky: false,
    startedAtMs: start.startedAt ?? atMs,
    durationMs: 0,
    attempts: [],
    note: CUT_NOTE,
  }
}

function hasRun(status: string): boolean {
  return status === 'passed' || status === 'failed'
}
