import type { FailureFacts } from './failure-facts'

/**
 * The facts of a failure as inputs of the logistic model. Counts and times are logarithms to base 2, so that each doubling has
 * the same weight.
 */
export interface FailureFeatures {
  /** log₂(1 + failures on the same commit). */
  readonly failedOnCommit: number
  /** log₂(1 + failures in a row). */
  readonly failuresInRow: number
  /** log₂(1 + hours since the last pass), up to ten days, after a failure; 0 after a pass. */
  readonly hoursSincePass: number
  /** log₂ of the failure rate of the last 20 results ÷ that of the last 200, between −3 and 3. */
  readonly recentExcess: number
  /** 1 when none of its errors was seen before. */
  readonly newError: number
  /** 1 when one of its errors was seen in a failure that proved flaky. */
  readonly flakyError: number
  /** log₂(1 + other tests that newly fail). */
  readonly otherNewFailures: number
  /** Logarithm of the odds that a repeated failure of the project fails again. */
  readonly repeats: number
  /** 1 when the last segment before it was broken. */
  readonly broken: number
}

export type FeatureName = keyof FailureFeatures

const MAX_HOURS = 240
const MAX_EXCESS = 3

export function listFeatures(facts: FailureFacts): FailureFeatures {
  const { failuresInRow, hoursSincePass = MAX_HOURS, fingerprints, repeats, last20, last200 } = facts
  const excess = Math.log2(smoothRate(last20) / smoothRate(last200))
  return {
    failedOnCommit: Math.log2(1 + Math.min(facts.failedOnCommit, 7)),
    failuresInRow: Math.log2(1 + Math.min(failuresInRow, 15)),
    hoursSincePass: failuresInRow === 0 ? 0 : Math.log2(1 + Math.min(hoursSincePass, MAX_HOURS)),
    recentExcess: Math.max(-MAX_EXCESS, Math.min(MAX_EXCESS, excess)),
    newError: fingerprints.n > 0 && fingerprints.seen === 0 ? 1 : 0,
    flakyError: fingerprints.flaky > 0 ? 1 : 0,
    otherNewFailures: Math.log2(1 + facts.otherNewFailures),
    // Start from 2 of 10, for projects without such failures.
    repeats: Math.log((repeats.failedAgain + 2) / (repeats.n - repeats.failedAgain + 8)),
    broken: facts.state === 'broken' ? 1 : 0,
  }
}

/** A failure rate that is never 0. */
function smoothRate({ failures, n }: { failures: number; n: number }): number {
  return (failures + 0.5) / (n + 5)
}
