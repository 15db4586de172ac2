/** A sample of values, described. Values are in their own unit. */
export interface Summary {
  readonly n: number
  /** Undefined without a value. */
  readonly mean: number | undefined
  /** Sample standard deviation, with n − 1; undefined below two values. */
  readonly standardDeviation: number | undefined
  readonly min: number | undefined
  readonly max: number | undefined
}

/** Two passes: sums of squares lose all digits if the mean is large compared with the deviation. */
export function summarize(values: readonly number[]): Summary {
  const n = values.length
  if (n === 0) return { n, mean: undefined, standardDeviation: undefined, min: undefined, max: undefined }
  const mean = meanOf(values)
  const squares = sumOf(values.map((value) => (value - mean) ** 2))
  return {
    n,
    mean,
    standardDeviation: n < 2 ? undefined : Math.sqrt(squares / (n - 1)),
    min: values.reduce((least, value) => Math.min(least, value), Infinity),
    max: values.reduce((most, value) => Math.max(most, value), -Infinity),
  }
}

/** The mean; the second pass removes what the first lost by rounding. */
export function meanOf(values: readonly number[]): number {
  const first = sumOf(values) / values.length
  return first + sumOf(values.map((value) => value - first)) / values.length
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** The distance of each value from the one before it. */
export function movingRanges(values: readonly number[]): number[] {
  return values.slice(1).map((value, i) => Math.abs(value - (values[i] ?? value)))
}

export function rangeOf(values: readonly number[]): number {
  const { min = 0, max = 0 } = summarize(values)
  return max - min
}
