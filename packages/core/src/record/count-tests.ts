import type { Suite } from '../model/suite'
import { Surveys } from './survey'

/** How many tests came to what; retries are attempts beyond each test's first. */
export interface TestCounts {
  passed: number
  failed: number
  skipped: number
  flaky: number
  retries: number
}

/** Counts a suite's tests; `skipped` holds every test that did not run, whatever the reason. */
export function countTests(suite: Suite, surveys = new Surveys()): TestCounts {
  const { special } = surveys.of(suite)
  const plain = suite.tests.length - special.length
  const counts: TestCounts = { passed: plain, failed: 0, skipped: 0, flaky: 0, retries: 0 }
  special.forEach(({ outcome, flaky, attempts }) => {
    if (outcome === 'passed') counts.passed += 1
    else if (outcome === 'failed') counts.failed += 1
    else counts.skipped += 1
    if (flaky) counts.flaky += 1
    if (attempts.length > 1) counts.retries += attempts.length - 1
  })
  return counts
}

/** Counts of several suites together. */
export function sumCounts(counts: readonly TestCounts[]): TestCounts {
  const sum: TestCounts = { passed: 0, failed: 0, skipped: 0, flaky: 0, retries: 0 }
  for (const each of counts)
    for (const name of Object.keys(sum) as (keyof TestCounts)[]) sum[name] += each[name]
  return sum
}
