import type { HistoryResult } from './history'
import type { Segment } from './segments'

/** `unknown` where the sample supports none of the others. */
export type TestState = 'healthy' | 'flaky' | 'broken' | 'unknown'

const HEALTHY_BELOW = 0.01
const BROKEN_FROM = 0.8

/**
 * What the last segment says of a test.
 *
 * - `healthy`: the 95 % interval of its failure rate ends below 1 %, which takes 381 results without a failure.
 * - `broken`: at least 80 % failed, and either a change began the segment or the 95 % interval begins at 50 % (4 of 4).
 * - `flaky`: it passed on a retry, or it failed, passed and failed again. One row of failures is a break that was fixed.
 * - `unknown`: anything else. A segment whose failures are all at its end may be broken or flaky.
 *
 * `results` and `segments` are those of `findSegments`. Limits of `healthy` and `broken`: Runledger's own.
 */
export function findTestState(results: readonly HistoryResult[], segments: readonly Segment[]): TestState {
  const last = segments.at(-1)
  if (last?.failureRate.rate === undefined) return 'unknown'
  const { failureRate, border, counts } = last
  if (failureRate.high < HEALTHY_BELOW) return 'healthy'
  if (last.failureRate.rate >= BROKEN_FROM && (border !== undefined || failureRate.low >= 0.5))
    return 'broken'
  const own = results.slice(last.from, last.to)
  const rows = own.filter(({ failed }, index) => failed && own[index - 1]?.failed !== true).length
  return rows > 1 || counts.retried > counts.failedAfterRetry ? 'flaky' : 'unknown'
}
