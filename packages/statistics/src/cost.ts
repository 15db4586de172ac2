export interface FailedBuild {
  readonly durationMs: number
  /** Tests that failed it, after all retries. */
  readonly failedTestIds: readonly string[]
}

/** What one test cost by being the only failure of builds. */
export interface LoneFailureCost {
  readonly testId: string
  readonly builds: number
  readonly minutes: number
}

const MINUTE_MS = 60_000
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS

/**
 * Lists for each test the builds in which it was the only failure, and their minutes, most minutes first. The cost of flakiness
 * is the cost of the tests with flaky evidence. The caller leaves out infrastructure builds and failures without a test.
 * Definition: Runledger's own, `docs/statistics.md`.
 */
export function costOfLoneFailures(builds: readonly FailedBuild[]): LoneFailureCost[] {
  const costs = new Map<string, { builds: number; minutes: number }>()
  for (const { durationMs, failedTestIds } of builds) {
    const [testId, ...others] = new Set(failedTestIds)
    if (testId === undefined || others.length > 0) continue
    const cost = costs.get(testId) ?? { builds: 0, minutes: 0 }
    costs.set(testId, { builds: cost.builds + 1, minutes: cost.minutes + durationMs / MINUTE_MS })
  }
  return [...costs].map(([testId, cost]) => ({ testId, ...cost })).toSorted((a, b) => b.minutes - a.minutes)
}

/** The duration of a test's result: the sum of its attempts. */
export interface TimedResult {
  readonly durationMs: number
  readonly atMs: number
}

/**
 * The minutes that all results and attempts of a test took in the week before `nowMs`.
 * Definition: Runledger's own, `docs/statistics.md`.
 */
export function minutesInLastWeek(results: readonly TimedResult[], nowMs: number): number {
  const recent = results.filter(({ atMs }) => atMs > nowMs - WEEK_MS && atMs <= nowMs)
  return recent.reduce((sum, { durationMs }) => sum + durationMs, 0) / MINUTE_MS
}
