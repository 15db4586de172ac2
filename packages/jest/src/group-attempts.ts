import { formatTestKey, type LiveCase } from './recall-cases'

/**
 * Groups attempts into tests: the attempts of each test in order, the tests of equal titles in the order of their
 * first attempts. Attempt n belongs to the first test of these titles whose last attempt was n − 1 and failed:
 * Jest retries in the order of definition, whether at once or after the rest of the file. Where Jest 30 tries all of a
 * describe block again, it may have passed.
 */
export function groupAttempts(cases: readonly LiveCase[]): Map<string, LiveCase[][]> {
  const tests = new Map<string, LiveCase[][]>()
  for (const attempt of cases) {
    const key = formatTestKey(attempt)
    const sameTitles = tests.get(key) ?? []
    const candidates = sameTitles.filter(({ length }) => attempt.invocation === length + 1)
    const earlier = candidates.find((attempts) => attempts.at(-1)?.status === 'failed') ?? candidates[0]
    if (earlier) earlier.push(attempt)
    else sameTitles.push([attempt])
    tests.set(key, sameTitles)
  }
  return tests
}
