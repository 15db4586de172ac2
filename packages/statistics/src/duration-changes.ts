import { findBestSplit } from './energy-split'
import { compareSamples, type Comparison } from './t-test'

/** A lasting change of a test's duration. */
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

type Limits = Required<Pick<DurationChangeSettings, 'maxPValue' | 'minShare'>>

const DEFAULTS = { window: 50, maxPValue: 0.001, minShare: 0.05 }

interface Split extends Comparison {
  readonly index: number
  readonly before: number
  readonly after: number
}

/**
 * Finds the changes in a series of durations in milliseconds, oldest first, of passed first attempts in one environment. Splits
 * windows while a t-test says that the sides differ (at ten times the p-value), then removes the weakest changes until each is
 * significant and large enough. The result is deterministic. After a removal, Otava compares only some of the neighbours again;
 * with small limits its result therefore differs in a few changes.
 * Source: Fleming et al., "Hunter: Using change point detection to hunt for performance regressions" (2023), as in
 * apache/otava, `otava/analysis.py`.
 */
export function findDurationChanges(
  durationsMs: readonly number[],
  settings: DurationChangeSettings = {},
): DurationChange[] {
  const { window, maxPValue, minShare } = { ...DEFAULTS, ...settings }
  const splits = splitInWindows(durationsMs, window, maxPValue * (maxPValue < 0.05 ? 10 : 2))
  return removeWeakest(durationsMs, splits, { maxPValue, minShare }).map(describeChange)
}

function describeChange({ index, meanBefore, before, meanAfter, after, pValue }: Split): DurationChange {
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

/** Indexes at which windows split, ascending. A window begins at the previous window's last split, or half a window later. */
function splitInWindows(values: readonly number[], window: number, maxPValue: number): number[] {
  const found = new Set<number>()
  let start = 0
  while (start < values.length) {
    const splits = splitWindow(values.slice(start, start + window), maxPValue)
    for (const index of splits) found.add(start + index)
    const last = splits.at(-1) ?? 0
    start += Math.max(last, Math.floor(window / 2))
  }
  return [...found].toSorted((a, b) => a - b)
}

/** Splits at the largest difference while it is significant. */
function splitWindow(values: readonly number[], maxPValue: number): number[] {
  let splits: number[] = []
  for (;;) {
    const parts = listParts(splits, values.length)
    const candidates = parts.flatMap(({ from, to }) => {
      const split = findBestSplit(values, from, to)
      return split === undefined ? [] : [{ ...split, from, to }]
    })
    const [best] = candidates.toSorted((a, b) => b.difference - a.difference)
    if (best === undefined) return splits
    const { pValue } = compareSamples(values.slice(best.from, best.index), values.slice(best.index, best.to))
    if (pValue > maxPValue) return splits
    splits = [...splits, best.index].toSorted((a, b) => a - b)
  }
}

function listParts(splits: readonly number[], length: number): { from: number; to: number }[] {
  const borders = [0, ...splits, length]
  return borders.slice(1).map((to, i) => ({ from: borders[i] ?? 0, to }))
}

/** Removes the least significant change, then the smallest one, until all that are left are significant and large enough. */
function removeWeakest(values: readonly number[], splits: readonly number[], limits: Limits): Split[] {
  const described = describeSplits(values, splits)
  const [leastSignificant] = described.toSorted((a, b) => b.pValue - a.pValue)
  const [smallest] = described.toSorted((a, b) => magnitude(a) - magnitude(b))
  if (leastSignificant === undefined || smallest === undefined) return []
  const areSignificant = leastSignificant.pValue < limits.maxPValue
  if (areSignificant && magnitude(smallest) > limits.minShare) return described
  const weakest = areSignificant ? smallest : leastSignificant
  return removeWeakest(
    values,
    splits.filter((index) => index !== weakest.index),
    limits,
  )
}

function describeSplits(values: readonly number[], splits: readonly number[]): Split[] {
  const parts = listParts(splits, values.length)
  return splits.map((index, i) => {
    const before = values.slice(parts[i]?.from, index)
    const after = values.slice(index, parts[i + 1]?.to)
    return { index, before: before.length, after: after.length, ...compareSamples(before, after) }
  })
}

/** The change as a share of the smaller mean. */
function magnitude({ meanBefore, meanAfter }: Split): number {
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
