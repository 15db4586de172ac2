import { chiSquareQuantile, normalBelow } from './distributions'

const Z = 1.959963984540054
const TAIL = 0.025

/** The limits that a value has to keep. A gauge with one limit leaves out the other. */
export interface SpecificationLimits {
  readonly low?: number | undefined
  readonly high?: number | undefined
}

/** A standard deviation, estimated with so many degrees of freedom. */
export interface Deviation {
  readonly sigma: number
  readonly freedom: number
}

/** An index with its 95 % interval. */
export interface CapabilityIndex {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** How well values keep their limits, with one estimate of their deviation. */
export interface Capability {
  readonly n: number
  readonly mean: number
  readonly sigma: number
  /** Width of the limits ÷ 6 σ (Cp, Pp); undefined with one limit. */
  readonly spread: CapabilityIndex | undefined
  /** Distance of the mean from the nearer limit ÷ 3 σ (Cpk, Ppk). */
  readonly centered: CapabilityIndex
  /** Share of values outside the limits that a normal distribution of this mean and deviation has. */
  readonly expectedOutside: number
}

/**
 * Capability with one deviation: Cp and Cpk where it is the deviation within, Pp and Ppk where it is the overall one.
 * Undefined without a limit or a deviation.
 * Source: Montgomery, "Introduction to Statistical Quality Control", chapter 8: the interval of Cp by chi-square, that of Cpk by
 * Bissell, "How reliable is your capability index?" (1990).
 */
export function capability(
  { n, mean }: { readonly n: number; readonly mean: number },
  { sigma, freedom }: Deviation,
  { low, high }: SpecificationLimits,
): Capability | undefined {
  const distances = [...(low === undefined ? [] : [mean - low]), ...(high === undefined ? [] : [high - mean])]
  if (distances.length === 0 || !(sigma > 0) || !(freedom > 0)) return undefined
  return {
    n,
    mean,
    sigma,
    spread:
      low === undefined || high === undefined ? undefined : spreadIndex((high - low) / (6 * sigma), freedom),
    centered: centeredIndex(Math.min(...distances) / (3 * sigma), n, freedom),
    expectedOutside: distances.reduce((sum, distance) => sum + normalBelow(-distance / sigma), 0),
  }
}

function spreadIndex(value: number, freedom: number): CapabilityIndex {
  const bound = (probability: number) => value * Math.sqrt(chiSquareQuantile(probability, freedom) / freedom)
  return { value, low: bound(TAIL), high: bound(1 - TAIL) }
}

/** Bissell's interval, value × (1 ± z √(1 ÷ 9 n value² + 1 ÷ 2 ν)), written so that it holds at 0 too. */
function centeredIndex(value: number, n: number, freedom: number): CapabilityIndex {
  const half = Z * Math.sqrt(1 / (9 * n) + value ** 2 / (2 * freedom))
  return { value, low: value - half, high: value + half }
}

/** Degrees of freedom of a deviation from n moving ranges of two. Source: Nelson, "Control charts for individual measurements" (1982). */
export function movingRangeFreedom(n: number): number {
  return 0.62 * (n - 1)
}
