import { findMeanChanges, type MeanChange } from './mean-changes'
import type { Comparison } from './t-test'

export interface DurationChange {
  /** Index of the first duration after the change. */
  readonly index: number
  /** Means of the durations since the previous change and up to the next one, with their numbers. */
  readonly meanBeforeMs: number
  readonly resultsBefore: number
  readonly meanAfterMs: number
  readonly resultsAfter: number
  /** Negative when the test got faster. */
  readonly changeMs: number
  /** `changeMs` in % of the mean before. */
  readonly changePercent: number
  /** p-value of a two-sided t-test between the durations on both sides. */
  readonly pValue: number
}

export interface DurationChangeSettings {
  /** Number of durations in a window. Larger windows find slower trends and take longer. */
  readonly window?: number
  readonly maxPValue?: number
  /** Smallest change, as a share of the smaller mean. */
  readonly minShare?: number
}

const DEFAULTS = { window: 50, maxPValue: 0.001, minShare: 0.05 }

/**
 * Finds the lasting changes in a series of durations in milliseconds, oldest first, of passed first attempts in one environment.
 * `findMeanChanges` says how.
 */
export function findDurationChanges(
  durationsMs: readonly number[],
  settings: DurationChangeSettings = {},
): DurationChange[] {
  const { window, maxPValue, minShare } = { ...DEFAULTS, ...settings }
  return findMeanChanges(durationsMs, { window, maxPValue, sizeOf: magnitude, minSize: minShare }).map(
    describeChange,
  )
}

function describeChange({ index, meanBefore, before, meanAfter, after, pValue }: MeanChange): DurationChange {
  const changeMs = meanAfter - meanBefore
  return {
    index,
    meanBeforeMs: meanBefore,
    resultsBefore: before,
    meanAfterMs: meanAfter,
    resultsAfter: after,
    changeMs,
    changePercent: (changeMs / meanBefore) * 100,
    pValue,
  }
}

/** The change as a share of the smaller mean. */
function magnitude({ meanBefore, meanAfter }: Comparison): number {
  const smaller = Math.min(meanBefore, meanAfter)
  return smaller === 0 ? 0 : Math.abs(meanAfter - meanBefore) / smaller
}

export interface SlowdownLimits {
  readonly percent: number
  readonly ms: number
  /** Minimum number of durations on each side, because one or two slow ones may be chance. */
  readonly results: number
}

export const SLOWDOWN_LIMITS: SlowdownLimits = { percent: 20, ms: 100, results: 5 }

/**
 * Whether a slow-down is worth showing: at least 20 % and 100 ms, with at least five durations on each side.
 * Limits: Runledger's own, measured in `docs/statistics.md`.
 */
export function isSlowdown(change: DurationChange, limits: SlowdownLimits = SLOWDOWN_LIMITS): boolean {
  const results = Math.min(change.resultsBefore, change.resultsAfter)
  return change.changePercent >= limits.percent && change.changeMs >= limits.ms && results >= limits.results
}
