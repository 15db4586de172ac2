/** An index at which a series may be split, and how much the two sides differ. */
export interface Candidate {
  /** Index of the first value of the new side. */
  readonly index: number
  readonly difference: number
}

/**
 * The best split of `values[from … to)`: the index whose left side differs most from any number of values that follow it,
 * by the energy statistic with distances |x − y|. Undefined below two values.
 * Source: Matteson and James, "A nonparametric approach for multiple change point analysis of multivariate data" (2014), as in
 * apache/otava, `otava/change_point_divisive/calculator.py`.
 */
export function findBestSplit(values: readonly number[], from: number, to: number): Candidate | undefined {
  let best: Candidate | undefined
  let withinLeft = 0
  for (let index = from + 1; index < to; index++) {
    withinLeft += sumDistances(values, { from, to: index - 1, at: index - 1 })
    const difference = findLargestDifference(values, { from, index, to, withinLeft })
    if (best === undefined || difference > best.difference) best = { index, difference }
  }
  return best
}

function findLargestDifference(
  values: readonly number[],
  { from, index, to, withinLeft }: { from: number; index: number; to: number; withinLeft: number },
): number {
  const left = index - from
  let largest = -Infinity
  let between = 0
  let withinRight = 0
  for (let end = index + 1; end <= to; end++) {
    const right = end - index
    between += sumDistances(values, { from, to: index, at: end - 1 })
    withinRight += sumDistances(values, { from: index, to: end - 1, at: end - 1 })
    const leftPart = left > 1 ? (right * withinLeft) / (left - 1) : 0
    const rightPart = right > 1 ? (left * withinRight) / (right - 1) : 0
    largest = Math.max(largest, (2 / (left + right)) * (between - leftPart - rightPart))
  }
  return largest
}

function sumDistances(
  values: readonly number[],
  { from, to, at }: { from: number; to: number; at: number },
): number {
  const value = values[at] ?? 0
  let sum = 0
  for (let i = from; i < to; i++) sum += Math.abs((values[i] ?? 0) - value)
  return sum
}
