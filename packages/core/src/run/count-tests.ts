import type { Suite } from '../suite'

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
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0, flaky: 0, retries: 0 }
  for (const { tests } of suites) {
    tests.forEach(({ outcome, flaky, attempts }) => {
      if (outcome === 'passed') counts.passed += 1
      else if (outcome === 'failed') counts.failed += 1
      else counts.skipped += 1
      if (flaky) counts.flaky += 1
      if (attempts.length > 1) counts.retries += attempts.length - 1
    })
  }
  return counts
}
