/** One result of a test, with its position in the line of builds. */
export interface HistoryResult {
  /** Place of the commit in the line. Results of one commit have equal positions. */
  readonly position: number
  /** Whether the first attempt failed. */
  readonly failed: boolean
  /** How the last attempt ended, if the test was retried. */
  readonly retry?: 'passed' | 'failed'
}

/** Counts of results; each one includes the next. */
export interface HistoryCounts {
  readonly results: number
  readonly failed: number
  readonly retried: number
  readonly failedAfterRetry: number
}

/** The results of a test as prefix sums: counting any range of positions takes two look-ups. */
export interface History {
  /** Distinct positions, ascending. */
  readonly positions: readonly number[]
  /** Index of the first result at each position, followed by the number of results. */
  readonly firstIndexes: readonly number[]
  /** Counts of the results before each position, followed by the counts of all results. */
  readonly before: readonly HistoryCounts[]
}

const NONE: HistoryCounts = { results: 0, failed: 0, retried: 0, failedAfterRetry: 0 }

/** @throws RangeError when positions descend. */
export function sumHistory(results: readonly HistoryResult[]): History {
  const positions: number[] = []
  const firstIndexes: number[] = []
  const before: HistoryCounts[] = []
  let counts = NONE
  for (const [index, result] of results.entries()) {
    const last = positions.at(-1)
    if (last !== undefined && result.position < last)
      throw new RangeError(`position ${result.position} of result ${index} is below the one before, ${last}`)
    if (result.position !== last) {
      positions.push(result.position)
      firstIndexes.push(index)
      before.push(counts)
    }
    counts = addResult(counts, result)
  }
  return { positions, firstIndexes: [...firstIndexes, results.length], before: [...before, counts] }
}

function addResult(counts: HistoryCounts, { failed, retry }: HistoryResult): HistoryCounts {
  if (!failed) return { ...counts, results: counts.results + 1 }
  return {
    results: counts.results + 1,
    failed: counts.failed + 1,
    retried: counts.retried + (retry === undefined ? 0 : 1),
    failedAfterRetry: counts.failedAfterRetry + (retry === 'failed' ? 1 : 0),
  }
}

/** Counts of the positions with indexes `from` to `to`, the latter excluded. */
export function countRange({ before }: History, from: number, to: number): HistoryCounts {
  const end = before[to] ?? NONE
  const start = before[from] ?? NONE
  return {
    results: end.results - start.results,
    failed: end.failed - start.failed,
    retried: end.retried - start.retried,
    failedAfterRetry: end.failedAfterRetry - start.failedAfterRetry,
  }
}
