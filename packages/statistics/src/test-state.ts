import type { HistoryResult } from './history'
import type { Segment } from './segments'

/** `unknown` if the sample supports no other state. */
export type TestState = 'healthy' | 'flaky' | 'broken' | 'unknown'

const HEALTHY_BELOW = 0.01
const BROKEN_FROM = 0.8

/**
 * The state of a test, from its last segment:
 *
 * - `healthy`: the 95 % interval of its failure rate ends below 1 %, which takes 381 results without a failure.
 * - `broken`: at least 80 % failed, and either a change began the segment or the 95 % interval begins at 50 % (4 of 4).
 * - `flaky`: it passed on a retry, or it failed, passed and failed again. A single row of failures is a break that was fixed.
 * - `unknown`: anything else. If all failures are at the end of the segment, the test may be broken or flaky.
 *
 * `results` are the input of `findSegments`, `segments` its output. The limits of `healthy` and `broken` are Runledger's own.
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
