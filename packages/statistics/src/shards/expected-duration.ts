/** How many of the last builds say how long a file takes. */
export const COUNTED_BUILDS = 10

/** Weight of the newest duration beside all before it. */
const NEWEST = 0.3

/** A single duration counts at most as this many medians, and at least as the inverse. */
const MOST_MEDIANS = 2

/**
 * How long a file will take: the mean of its durations in its last builds, later ones weighing more, each no further than twice
 * from their median. Undefined without any. The oldest comes first.
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
