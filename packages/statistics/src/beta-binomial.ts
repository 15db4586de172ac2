/** Beta distribution of an unknown share, before any result. Both parameters are positive. */
export interface BetaPrior {
  readonly alpha: number
  readonly beta: number
}

/** Natural logarithm of the probability of one sequence of `n` results, `hits` of them hits. */
export type SequenceLikelihood = (hits: number, n: number) => number

/**
 * Likelihood of a sequence whose share of hits is constant and unknown, with a Beta prior: B(α + hits, β + misses) ÷ B(α, β),
 * as products of (α + i), (β + i) and (α + β + i).
 * Source: luci/luci-go, `analysis/internal/changepoints/bayesian/sequence_likelihood.go`.
 */
export function createSequenceLikelihood({ alpha, beta }: BetaPrior): SequenceLikelihood {
  const ofHits = createLogProduct(alpha)
  const ofMisses = createLogProduct(beta)
  const ofAll = createLogProduct(alpha + beta)
  return (hits, n) => ofHits(hits) + ofMisses(n - hits) - ofAll(n)
}

/** The logarithm of start × (start + 1) × … with `count` factors. Caches results, because change points ask for the same ones. */
function createLogProduct(start: number): (count: number) => number {
  const known = [0]
  return (count) => {
    for (let i = known.length; i <= count; i++) known.push((known[i - 1] ?? 0) + Math.log(start + i - 1))
    return known[count] ?? 0
  }
}
