import { incompleteBeta } from './special-functions'

/** Two samples compared. Means are in the unit of the values. */
export interface Comparison {
  readonly meanBefore: number
  readonly meanAfter: number
  /** Probability of a difference of means at least as large, if both samples came from one distribution. */
  readonly pValue: number
}

/**
 * Two-sided Student's t-test of two samples with a common variance. Like Otava, it uses population variances, which makes it
 * slightly more sensitive on small samples.
 * Source: apache/otava, `otava/analysis.py`, `TTestSignificanceTester`.
 */
export function compareSamples(before: readonly number[], after: readonly number[]): Comparison {
  const means = { meanBefore: mean(before), meanAfter: mean(after) }
  const freedom = before.length + after.length - 2
  if (freedom <= 0) return { ...means, pValue: 1 }
  const squares = (before.length - 1) * variance(before) + (after.length - 1) * variance(after)
  const error = Math.sqrt((squares / freedom) * (1 / before.length + 1 / after.length))
  const difference = means.meanAfter - means.meanBefore
  if (difference === 0) return { ...means, pValue: 1 }
  return { ...means, pValue: twoSidedTail(difference / error, freedom) }
}

/** Probability that Student's t is at least this far from zero. */
function twoSidedTail(t: number, freedom: number): number {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: readonly number[]): number {
  const centre = mean(values)
  return mean(values.map((value) => (value - centre) ** 2))
}
