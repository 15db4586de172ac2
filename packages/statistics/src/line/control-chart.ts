import { deviationConstant, rangeConstants } from './control-constants'
import { meanOf, movingRanges, rangeOf, summarize } from './summary'

/** A line of a chart with its limits, three standard errors away. */
export interface ControlLimits {
  readonly center: number
  readonly lower: number
  readonly upper: number
}

/** A chart of single values and of their moving ranges. */
export interface IndividualsChart {
  readonly n: number
  readonly individuals: ControlLimits
  readonly ranges: ControlLimits
  /** Standard deviation within the process: mean moving range ÷ 1.128. */
  readonly sigma: number
}

/** A chart of subgroups' means and of their spread. All subgroups have the same size. */
export interface SubgroupChart {
  readonly subgroups: number
  readonly size: number
  readonly means: ControlLimits
  readonly spread: ControlLimits
  /** Standard deviation within subgroups: mean range ÷ d2, or mean standard deviation ÷ c4. */
  readonly sigma: number
}

/** Undefined below two values. Source: NIST/SEMATECH e-Handbook, 6.3.2.2. */
export function individualsChart(values: readonly number[]): IndividualsChart | undefined {
  if (values.length < 2) return undefined
  return individualsLimits({
    n: values.length,
    mean: meanOf(values),
    meanMovingRange: meanOf(movingRanges(values)),
  })
}

/** Takes sums instead of values. */
export function individualsLimits({
  n,
  mean,
  meanMovingRange,
}: {
  readonly n: number
  readonly mean: number
  readonly meanMovingRange: number
}): IndividualsChart {
  const { d2, d3 } = rangeConstants(2)
  const sigma = meanMovingRange / d2
  return {
    n,
    individuals: limitsAround(mean, 3 * sigma),
    ranges: spreadLimits(meanMovingRange, d3 / d2),
    sigma,
  }
}

/** Means and ranges of subgroups of 2 to 25 values. Undefined without a subgroup. @throws RangeError for other sizes. */
export function rangeChart(subgroups: readonly (readonly number[])[]): SubgroupChart | undefined {
  if (subgroups.length === 0) return undefined
  const size = commonSize(subgroups)
  const { d2, d3 } = rangeConstants(size)
  const meanRange = meanOf(subgroups.map(rangeOf))
  return subgroupChart(subgroups, meanRange / d2, spreadLimits(meanRange, d3 / d2))
}

/** Means and standard deviations of subgroups. Undefined without a subgroup. @throws RangeError for unequal sizes. */
export function deviationChart(subgroups: readonly (readonly number[])[]): SubgroupChart | undefined {
  if (subgroups.length === 0) return undefined
  const c4 = deviationConstant(commonSize(subgroups))
  const meanDeviation = meanOf(subgroups.map((values) => summarize(values).standardDeviation ?? 0))
  const spread = spreadLimits(meanDeviation, Math.sqrt(1 - c4 * c4) / c4)
  return subgroupChart(subgroups, meanDeviation / c4, spread)
}

/** A chart of shares, each of its own sample: its limits differ with the size. Source: e-Handbook, 6.3.3.2. */
export function shareChart(
  samples: readonly { readonly count: number; readonly n: number }[],
): readonly ControlLimits[] {
  const total = samples.reduce((sum, { n }) => sum + n, 0)
  const center = samples.reduce((sum, { count }) => sum + count, 0) / total
  return samples.map(({ n }) => {
    const { lower, upper } = limitsAround(center, 3 * Math.sqrt((center * (1 - center)) / n))
    return { center, lower: Math.max(0, lower), upper: Math.min(1, upper) }
  })
}

function subgroupChart(
  subgroups: readonly (readonly number[])[],
  sigma: number,
  spread: ControlLimits,
): SubgroupChart {
  const size = commonSize(subgroups)
  const center = meanOf(subgroups.map(meanOf))
  return {
    subgroups: subgroups.length,
    size,
    means: limitsAround(center, (3 * sigma) / Math.sqrt(size)),
    spread,
    sigma,
  }
}

function commonSize(subgroups: readonly (readonly number[])[]): number {
  const [size = 0, ...others] = new Set(subgroups.map((values) => values.length))
  if (size < 2 || others.length > 0)
    throw new RangeError(`subgroups need one size of at least 2, not ${[size, ...others].join(', ')}`)
  return size
}

function limitsAround(center: number, distance: number): ControlLimits {
  return { center, lower: center - distance, upper: center + distance }
}

/** Limits of a spread, which is never below 0. */
function spreadLimits(center: number, relativeDeviation: number): ControlLimits {
  const { lower, upper } = limitsAround(center, 3 * relativeDeviation * center)
  return { center, lower: Math.max(0, lower), upper }
}
