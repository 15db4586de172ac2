import type { Attempt, ErrorDetail, SuiteTest, TestOutcome } from '@runledger/core'
import { groupAttempts } from './group-attempts'
import type { JestAssertion, JestCaseStart } from './jest-types'
import { mapError } from './map-errors'
import { formatTestKey, listLastTry, recallCases, type LiveCase, type Titled } from './recall-cases'
import type { FileAccount, ToldCase } from './running-files'

type Told = Pick<JestAssertion, 'ancestorTitles' | 'title' | 'status'>

const CUT_NOTE = 'under way when the suite was cut short'

/**
 * Maps a file's final results, in Jest's order, with what was told while it ran where that is needed: of earlier
 * attempts, and of starts, which Jest 29 leaves out of its results. Where it does not add up to the final results (two
 * projects ran the path at once), those stand alone.
 */
export function mapTests(
  results: readonly JestAssertion[],
  told: readonly ToldCase[],
  suiteStartMs: number,
): SuiteTest[] {
  let attempts: Map<JestAssertion, LiveCase[]> | undefined
  let cursorMs = suiteStartMs
  // A loop would be put into machine code by V8 at ten times the expense of what is done for one test.
  return results.map((result) => {
    const { status, failureMessages, invocations = 1, startAt, duration, ancestorTitles, title } = result
    if (!(status === 'passed' || status === 'failed')) return mapUnrunTest(result, suiteStartMs)
    if (invocations !== 1 || typeof startAt !== 'number') {
      attempts ??= matchAttempts(results, recallCases(told).cases)
      const test = mapAttempts(result, attempts.get(result), cursorMs)
      cursorMs = test.startedAtMs + test.durationMs
      return test
    }
    // Most tests, of which nothing that was told could say more.
    const durationMs = duration ?? undefined
    const errors = failureMessages?.length ? failureMessages.map(mapError) : []
    const test: SuiteTest = {
      titles: ancestorTitles.length === 0 ? [title] : ancestorTitles.concat(title),
      outcome: status,
      flaky: false,
      startedAtMs: startAt,
      durationMs: durationMs === undefined || durationMs < 0 ? 0 : durationMs,
      attempts: [{ status, errors, startedAtMs: startAt, durationMs, attachments: [], output: [] }],
    }
    cursorMs = startAt + test.durationMs
    return test
  })
}

/** The last attempt's verdict is the final one: Jest 30 may fail a test after it told that it passed. */
function mapAttempts(
  result: JestAssertion,
  seen: LiveCase[] | undefined,
  fallbackStartMs: number,
): SuiteTest {
  const earlier = seen ? seen.slice(0, -1).map(mapLiveAttempt) : mapUnseenAttempts(result)
  const final: Attempt = {
    status: result.status,
    errors: mapErrors(result.failureMessages),
    startedAtMs: seen?.at(-1)?.startedAtMs ?? result.startAt ?? fallbackStartMs,
    durationMs: result.duration ?? undefined,
    attachments: [],
    output: [],
  }
  return createTest(result, [...earlier, final], fallbackStartMs)
}

/** Maps what was seen of a file that has no final results: it crashed, after so many tries, or was cut short. */
export function mapSeenTests(account: FileAccount, tries = 1): SuiteTest[] {
  const { cases, underWay } = recallCases(tries > 1 ? listLastTry(account.told, tries) : account.told)
  const tests = [...groupAttempts(cases).values()]
    .flat()
    .map((attempts) => mapSeenTest(attempts, account.startedAtMs))
  for (const start of underWay) {
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

/** The attempts of the final results that ran; none for titles whose numbers do not agree. */
function matchAttempts(
  results: readonly JestAssertion[],
  cases: readonly LiveCase[],
): Map<JestAssertion, LiveCase[]> {
  const matched = new Map<JestAssertion, LiveCase[]>()
  const casesByTitles = groupByTitles(cases.filter(isRun))
  for (const [key, finals] of groupByTitles(results.filter(isRun))) {
    const seen = casesByTitles.get(key) ?? []
    const tests = dealAttempts(finals, seen) ?? orderLike(finals, groupAttempts(seen).get(key) ?? [])
    const isTold = (final: JestAssertion, index: number): boolean =>
      tests[index]?.length === (final.invocations ?? 1)
    if (tests.length !== finals.length || !finals.every(isTold)) continue
    finals.forEach((final, index) => matched.set(final, tests[index] as LiveCase[]))
  }
  return matched
}

function isRun({ status }: { status: string }): boolean {
  return hasRun(status)
}

function groupByTitles<Each extends Titled>(all: readonly Each[]): Map<string, Each[]> {
  const groups = new Map<string, Each[]>()
  for (const each of all) {
    const key = formatTestKey(each)
    const sameTitles = groups.get(key)
    if (sameTitles) sameTitles.push(each)
    else groups.set(key, [each])
  }
  return groups
}

/**
 * Deals the attempts of equal titles out in Jest's order: the nth ones to the tests that were tried n times, as their
 * final results say. Only those tell of a test that failed and was not retried, as none is whose beforeAll hook failed.
 * Nothing where the numbers or the last attempts say otherwise: under `test.concurrent` attempts are told as they end.
 */
function dealAttempts(
  finals: readonly JestAssertion[],
  cases: readonly LiveCase[],
): readonly LiveCase[][] | undefined {
  const tests = finals.map((final) => {
    return { final, invocations: final.invocations ?? 1, attempts: [] as LiveCase[] }
  })
  for (let nth = 1, dealt = 0; dealt < cases.length; nth += 1) {
    const tries = cases.filter(({ invocation }) => invocation === nth)
    const tried = tests.filter(({ invocations }) => invocations >= nth)
    if (tries.length === 0 || tries.length !== tried.length) return undefined
    tried.forEach(({ attempts }, index) => attempts.push(tries[index] as LiveCase))
    dealt += tries.length
  }
  const isDealt = tests.every(({ final, invocations, attempts }) => {
    return attempts.length === invocations && mayBeLast(final, attempts.at(-1))
  })
  return isDealt ? tests.map(({ attempts }) => attempts) : undefined
}

/** The last attempt of a test has its start, where Jest tells that in the end, and its duration; what failed stays failed. */
function mayBeLast({ status, startAt, duration }: JestAssertion, attempt: LiveCase | undefined): boolean {
  if (status === 'passed' && attempt?.status === 'failed') return false
  if (typeof startAt === 'number' && startAt !== attempt?.startedAtMs) return false
  return typeof duration !== 'number' || duration === attempt?.durationMs
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

/** Attempts before the last one that were not seen: Jest tells why each of them failed, and nothing else. */
function mapUnseenAttempts({ invocations = 1, retryReasons }: JestAssertion): Attempt[] {
  return Array.from({ length: invocations - 1 }, (_, index) => ({
    status: 'failed',
    errors: mapErrors(retryReasons?.slice(index, index + 1)),
    startedAtMs: undefined,
    durationMs: undefined,
    attachments: [],
    output: [],
  }))
}

function mapLiveAttempt({ status, failureMessages, startedAtMs, durationMs }: LiveCase): Attempt {
  return { status, errors: mapErrors(failureMessages), startedAtMs, durationMs, attachments: [], output: [] }
}

function mapErrors(failureMessages: readonly string[] | null | undefined): ErrorDetail[] {
  return failureMessages?.length ? failureMessages.map(mapError) : []
}

function createTest(result: Told, attempts: Attempt[], fallbackStartMs: number): SuiteTest {
  const outcome: TestOutcome = result.status === 'passed' ? 'passed' : 'failed'
  const last = attempts.at(-1) as Attempt
  const startedAtMs = attempts.find(isTimed)?.startedAtMs ?? fallbackStartMs
  const endedAtMs = (last.startedAtMs ?? startedAtMs) + (last.durationMs ?? 0)
  return {
    titles: listTitles(result),
    outcome,
    // Jest 30 can try all of a describe block again, with tests of it that passed.
    flaky: outcome === 'passed' && attempts.some(({ status }) => status === 'failed'),
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    attempts,
  }
}

/** Spread into a literal, they would take room for sixteen more. */
function listTitles({ ancestorTitles, title }: Pick<Told, 'ancestorTitles' | 'title'>): string[] {
  return ancestorTitles.concat(title)
}

function isTimed({ startedAtMs }: Attempt): boolean {
  return startedAtMs !== undefined
}

function mapUnrunTest(result: Told, atMs: number): SuiteTest {
  const outcome = result.status === 'todo' ? 'todo' : 'skipped'
  return { titles: listTitles(result), outcome, flaky: false, startedAtMs: atMs, durationMs: 0, attempts: [] }
}

function mapCutTest(start: JestCaseStart, atMs: number): SuiteTest {
  return {
    titles: listTitles(start),
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
