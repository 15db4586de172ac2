import { logNormalBelow } from './distributions'
import { summarize } from './summary'

export interface NormalityTest {
  readonly n: number
  /** Anderson and Darling's A². */
  readonly statistic: number
  /** Probability of a statistic at least as large, if the values were normal. */
  readonly pValue: number
}

const MIN_VALUES = 8

/**
 * Anderson and Darling's test of normality with an estimated mean and deviation. Undefined below eight values, or if all are equal.
 * Source: D'Agostino and Stephens, "Goodness-of-fit techniques" (1986), tables 4.7 and 4.9.
 */
export function andersonDarling(values: readonly number[]): NormalityTest | undefined {
  const { n, mean = 0, standardDeviation = 0 } = summarize(values)
  if (n < MIN_VALUES || standardDeviation === 0) return undefined
  const sorted = values.map((value) => (value - mean) / standardDeviation).toSorted((a, b) => a - b)
  const sum = sorted.reduce((total, z, i) => {
    const mirrored = sorted[n - 1 - i] ?? 0
    return total + (2 * i + 1) * (logNormalBelow(z) + logNormalBelow(-mirrored))
  }, 0)
  const statistic = -n - sum / n
  return { n, statistic, pValue: tail(statistic * (1 + 0.75 / n + 2.25 / n ** 2)) }
}

function tail(adjusted: number): number {
  const at = (a: number, b: number, c: number) => Math.exp(a + b * adjusted + c * adjusted ** 2)
  if (adjusted < 0.2) return 1 - at(-13.436, 101.14, -223.73)
  if (adjusted < 0.34) return 1 - at(-8.318, 42.796, -59.938)
  if (adjusted < 0.6) return at(0.9177, -4.279, -1.38)
  // Beyond 10 the formula rises again.
  return adjusted < 10 ? at(1.2937, -5.709, 0.0186) : 3.7e-24
}
