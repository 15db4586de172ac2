/** Square of the 97.5 % quantile of the standard normal distribution, 1.95996…. */
const Z_SQUARED = 3.841458820694124

/** A share with its 95 % interval; each is between 0 and 1, and `n` is the sample size. */
export interface Rate {
  readonly failures: number
  readonly n: number
  /** `failures / n`; undefined without a sample. */
  readonly rate: number | undefined
  readonly low: number
  readonly high: number
}

/**
 * 95 % interval of a failure rate: `failures` of `n` independent results failed. Without a sample it is 0 to 1.
 * Source: Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
 */
export function wilsonInterval(failures: number, n: number): Rate {
  if (n === 0) return { failures, n, rate: undefined, low: 0, high: 1 }
  const rate = failures / n
  const centre = (rate + Z_SQUARED / (2 * n)) / (1 + Z_SQUARED / n)
  const half =
    Math.sqrt((rate * (1 - rate) * Z_SQUARED) / n + (Z_SQUARED / (2 * n)) ** 2) / (1 + Z_SQUARED / n)
  const low = failures === 0 ? 0 : centre - half
  const high = failures === n ? 1 : centre + half
  return { failures, n, rate, low, high }
}

/**
 * The failure rate that `n` results without a failure exclude at 95 %: the upper end of their Wilson interval,
 * 3.84 ÷ (n + 3.84).
 */
export function upperBoundWithoutFailure(n: number): number {
  return Z_SQUARED / (n + Z_SQUARED)
}
