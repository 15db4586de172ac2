import { createSequenceLikelihood } from './beta-binomial'
import { countRange, type History, type HistoryCounts } from './history'

/** Indexes of positions, `to` excluded. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Most tests either pass nearly always or fail nearly always, and more of them pass. */
const failureLikelihood = createSequenceLikelihood({ alpha: 0.3, beta: 0.5 })
/** When a failed test is tried again, it nearly always passes or nearly always fails. */
const retryLikelihood = createSequenceLikelihood({ alpha: 0.5, beta: 0.5 })

/** Natural logarithm of the likelihood of these results, in this order, with constant rates. */
function logLikelihood({ results, failed, retried, failedAfterRetry }: HistoryCounts): number {
  return failureLikelihood(failed, results) + retryLikelihood(failedAfterRetry, retried)
}

function logLikelihoodOfSplit(history: History, { from, to }: Range, at: number): number {
  return logLikelihood(countRange(history, from, at)) + logLikelihood(countRange(history, at, to))
}

/**
 * Indexes of the positions at which the test changed, ascending. `changeLikelihood` is the probability of a change at a
 * position before any result is known. Splits at the most likely position, then both halves again.
 * Source: luci/luci-go, `analysis/internal/changepoints/bayesian/bayesian.go`.
 */
export function findChangePoints(history: History, changeLikelihood: number): number[] {
  return splitRange(history, { from: 0, to: history.positions.length }, Math.log(changeLikelihood))
}

function splitRange(history: History, range: Range, logPrior: number): number[] {
  const at = findMostLikelySplit(history, range, logPrior)
  if (at === undefined) return []
  const left = splitRange(history, { from: range.from, to: at }, logPrior)
  return [...left, at, ...splitRange(history, { from: at, to: range.to }, logPrior)]
}

function findMostLikelySplit(history: History, range: Range, logPrior: number): number | undefined {
  const counts = countRange(history, range.from, range.to)
  // Skip equal results: a split never explains them better, and most tests always pass.
  if (counts.failed === 0) return undefined
  let best: number | undefined
  let bestLikelihood = logLikelihood(counts) - logPrior
  for (let at = range.from + 1; at < range.to; at++) {
    const likelihood = logLikelihoodOfSplit(history, range, at)
    if (likelihood <= bestLikelihood) continue
    best = at
    bestLikelihood = likelihood
  }
  return best
}

/** The positions where the one change of a range may be. */
export interface BorderDistribution {
  /**
   * The change is below this position with probability `tail`. The position is rounded outwards to one with results: for a tail
   * below 0.5 the change comes after it, otherwise at or before it.
   */
  quantile(tail: number): number
}

/**
 * The distribution of the position of a change, if the range has exactly one. With `consecutive`, every number between two
 * positions is a commit without results.
 * Source: luci/luci-go, `analysis/internal/changepoints/bayesian/confidence_interval.go`.
 */
export function findBorderDistribution(
  history: History,
  range: Range,
  consecutive: boolean,
): BorderDistribution {
  const steps: { after: number; upTo: number; logLikelihood: number }[] = []
  for (let at = range.from + 1; at < range.to; at++) {
    const [after = 0, upTo = 0] = history.positions.slice(at - 1, at + 1)
    const commits = consecutive ? upTo - after : 1
    steps.push({ after, upTo, logLikelihood: logLikelihoodOfSplit(history, range, at) + Math.log(commits) })
  }
  const highest = steps.reduce((max, step) => Math.max(max, step.logLikelihood), -Infinity)
  const weights = steps.map((step) => Math.exp(step.logLikelihood - highest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return {
    quantile(tail) {
      let cumulative = 0
      const reached = steps.find((_, i) => (cumulative += (weights[i] ?? 0) / total) >= tail) ?? steps.at(-1)
      return (tail < 0.5 ? reached?.after : reached?.upTo) ?? NaN
    },
  }
}
