import { hasRun } from '@runledger/reporter-kit'
import { formatTitlesKey, type SeenAttempt, type Titled } from './collect-attempts'
import type { JestAssertion } from './jest-types'

/**
 * Finds the attempts of each final result. Tests with equal titles differ by count, order, start, duration and verdict.
 * If these conflict (two projects ran the path at once), none are assigned.
 */
export function matchAttempts(
  results: readonly JestAssertion[],
  attempts: readonly SeenAttempt[],
): Map<JestAssertion, SeenAttempt[]> {
  const matched = new Map<JestAssertion, SeenAttempt[]>()
  const attemptsByTitles = groupByTitles(attempts.filter(({ status }) => hasRun(status)))
  for (const [key, finals] of groupByTitles(results.filter(({ status }) => hasRun(status)))) {
    const seen = attemptsByTitles.get(key) ?? []
    const tests = assignInOrder(finals, seen) ?? sortByLastStart(finals, groupAttempts(seen))
    const isComplete = finals.every((final, index) => tests[index]?.length === (final.invocations ?? 1))
    if (tests.length !== finals.length || !isComplete) continue
    finals.forEach((final, index) => matched.set(final, tests[index] as SeenAttempt[]))
  }
  return matched
}

export function groupByTitles<Each extends Titled>(all: readonly Each[]): Map<string, Each[]> {
  const groups = new Map<string, Each[]>()
  for (const each of all) {
    const key = formatTitlesKey(each)
    const group = groups.get(key)
    if (group) group.push(each)
    else groups.set(key, [each])
  }
  return groups
}

/**
 * Groups attempts of equal titles into tests. Attempt n belongs to the first test whose last attempt was n − 1 and
 * failed: Jest retries in the order of definition. When Jest 30 retries a describe block, that attempt may have passed.
 */
export function groupAttempts(attempts: readonly SeenAttempt[]): SeenAttempt[][] {
  const tests: SeenAttempt[][] = []
  for (const attempt of attempts) {
    const candidates = tests.filter(({ length }) => attempt.invocation === length + 1)
    const earlier = candidates.find((test) => test.at(-1)?.status === 'failed') ?? candidates[0]
    if (earlier) earlier.push(attempt)
    else tests.push([attempt])
  }
  return tests
}

/**
 * The nth attempts go to the tests with at least n by their final results, in order. Only those show that a failed test
 * was not retried. Undefined on a conflict: under `test.concurrent`, attempts are reported as they end.
 */
function assignInOrder(
  finals: readonly JestAssertion[],
  attempts: readonly SeenAttempt[],
): SeenAttempt[][] | undefined {
  const tests = finals.map((final) => ({ final, attempts: [] as SeenAttempt[] }))
  for (let nth = 1, assigned = 0; assigned < attempts.length; nth += 1) {
    const nthAttempts = attempts.filter(({ invocation }) => invocation === nth)
    const takers = tests.filter(({ final }) => (final.invocations ?? 1) >= nth)
    if (nthAttempts.length === 0 || nthAttempts.length !== takers.length) return undefined
    takers.forEach((taker, index) => taker.attempts.push(nthAttempts[index] as SeenAttempt))
    assigned += nthAttempts.length
  }
  const isConsistent = tests.every((test) => {
    const isComplete = test.attempts.length === (test.final.invocations ?? 1)
    return isComplete && mayBeLast(test.final, test.attempts.at(-1))
  })
  return isConsistent ? tests.map((test) => test.attempts) : undefined
}

/** A final result has the duration of its last attempt and, since Jest 30, its start; a failure stays a failure. */
function mayBeLast({ status, startAt, duration }: JestAssertion, attempt: SeenAttempt | undefined): boolean {
  if (status === 'passed' && attempt?.status === 'failed') return false
  if (typeof startAt === 'number' && startAt !== attempt?.startedAtMs) return false
  return typeof duration !== 'number' || duration === attempt?.durationMs
}

/** By the start of the last attempt (Jest 30): a concurrent test may end before earlier namesakes. */
function sortByLastStart(finals: readonly JestAssertion[], tests: readonly SeenAttempt[][]): SeenAttempt[][] {
  const left = [...tests]
  const sorted = finals.flatMap(({ startAt, invocations = 1 }) => {
    const index = left.findIndex(
      (attempts) => attempts.length === invocations && attempts.at(-1)?.startedAtMs === startAt,
    )
    return left.splice(Math.max(0, index), 1)
  })
  return [...sorted, ...left]
}
