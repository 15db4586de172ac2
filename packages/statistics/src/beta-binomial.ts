import { logGamma } from './special-functions'

/** Beta distribution of an unknown share, before any result. Both parameters are positive. */
export interface BetaPrior {
  readonly alpha: number
  readonly beta: number
}

/** Natural logarithm of the probability of one sequence of `n` results, `hits` of them hits. */
export type SequenceLikelihood = (hits: number, n: number) => number

/**
 * Likelihood of a sequence whose share of hits is constant and unknown, with a Beta prior: B(α + hits, β + misses) ÷ B(α, β).
 * Source: luci/luci-go, `analysis/internal/changepoints/bayesian/sequence_likelihood.go`.
 */
export function createSequenceLikelihood({ alpha, beta }: BetaPrior): SequenceLikelihood {
  const logPrior = logBeta(alpha, beta)
  return (hits, n) => logBeta(alpha + hits, beta + n - hits) - logPrior
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}
