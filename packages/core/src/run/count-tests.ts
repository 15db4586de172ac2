import type { Suite, SuiteTest } from '../suite'

/** How many tests came to what; retries are attempts beyond each test's first. */
export interface TestCounts {
  passed: number
  failed: number
  skipped: number
  flaky: number
  retries: number
}

/** Counts over all suites of a run; `skipped` holds every test that did not run, whatever the reason. */
export function countTests(suites: readonly Suite[]): TestCounts {
  const tests = suites.flatMap((suite) => suite.tests)
  const count = (is: (test: SuiteTest) => boolean): number => tests.filter(is).length
  const passed = count((test) => test.outcome === 'passed')
  const failed = count((test) => test.outcome === 'failed')
  return {
    passed,
    failed,
    skipped: tests.length - passed - failed,
    flaky: count((test) => test.flaky),
    retries: tests.reduce((sum, test) => sum + Math.max(0, test.attempts.length - 1), 0),
  }
}
