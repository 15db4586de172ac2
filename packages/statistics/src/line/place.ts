import { summarize } from './summary'

export interface Place {
  readonly n: number
  readonly mean: number
  /** Undefined with one other value. */
  readonly standardDeviation: number | undefined
  readonly min: number
  readonly lowQuartile: number
  readonly median: number
  readonly highQuartile: number
  readonly max: number
  /** Share of the others that are below the value, from 0 to 1; equal ones count half. */
  readonly below: number
}

/** Where a value is among others; undefined without others. */
export function placeAmong(value: number, others: readonly number[]): Place | undefined {
  const { n, mean, standardDeviation, min, max } = summarize(others)
  if (mean === undefined || min === undefined || max === undefined) return undefined
  const sorted = others.toSorted((one, other) => one - other)
  const lower = sorted.filter((other) => other < value).length
  const equal = sorted.filter((other) => other === value).length
  return {
    n,
    mean,
    standardDeviation,
    min,
    lowQuartile: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    highQuartile: quantile(sorted, 0.75),
    max,
    below: (lower + equal / 2) / n,
  }
}

/** The quantile of sorted values by linear interpolation, as R's default (type 7). */
function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const [low = 0, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return low + (high - low) * (at - Math.floor(at))
}
