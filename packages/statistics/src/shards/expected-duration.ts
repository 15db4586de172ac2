/** The number of builds from which a file's duration is estimated. */
export const COUNTED_BUILDS = 10

/** Weight of the newest duration; the earlier ones have the rest. */
const NEWEST = 0.3

/** A duration counts as at most this many times the median, and as at least the median divided by it. */
const MOST_MEDIANS = 2

/**
 * Estimates how long a file takes: the weighted mean of its durations in its last builds. Later builds have more weight, and each
 * duration is limited to half to twice the median. `durations` begins with the oldest. Returns undefined without durations.
 */
export function expectDuration(durations: readonly number[]): number | undefined {
  const last = durations.slice(-COUNTED_BUILDS)
  const median = medianOf(last)
  if (median === undefined) return undefined
  const near = last.map((each) => Math.min(Math.max(each, median / MOST_MEDIANS), median * MOST_MEDIANS))
  return near.reduce((mean, each) => (1 - NEWEST) * mean + NEWEST * each)
}

export function medianOf(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}
