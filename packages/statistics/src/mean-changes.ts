import { findBestSplit } from './energy-split'
import { compareSamples, type Comparison } from './t-test'

/** A lasting change of the mean of a series. */
export interface MeanChange extends Comparison {
  /** Index of the first value after the change. */
  readonly index: number
  /** Numbers of values since the previous change, and up to the next one. */
  readonly before: number
  readonly after: number
}

export interface MeanChangeSettings {
  /** Number of values in a window. Larger windows find slower trends and take longer. */
  readonly window: number
  readonly maxPValue: number
  /** How large a change is, on the scale of `minSize`. */
  readonly sizeOf: (change: Comparison) => number
  readonly minSize: number
}

type Limits = Omit<MeanChangeSettings, 'window'>

/**
 * Finds the changes of the mean in a series, oldest first. Splits windows while a t-test says that the sides differ (at ten times
 * the p-value), then removes the weakest changes until each is significant and large enough. The result is deterministic. After a
 * removal, Otava compares only some of the neighbours again; with small limits its result therefore differs in a few changes.
 * Source: Fleming et al., "Hunter: Using change point detection to hunt for performance regressions" (2023), as in
 * apache/otava, `otava/analysis.py`.
 */
export function findMeanChanges(values: readonly number[], settings: MeanChangeSettings): MeanChange[] {
  const { window, ...limits } = settings
  const { maxPValue } = limits
  const splits = splitInWindows(values, window, maxPValue * (maxPValue < 0.05 ? 10 : 2))
  return removeWeakest(values, splits, limits)
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
function removeWeakest(values: readonly number[], splits: readonly number[], limits: Limits): MeanChange[] {
  const described = describeSplits(values, splits)
  const [leastSignificant] = described.toSorted((a, b) => b.pValue - a.pValue)
  const [smallest] = described.toSorted((a, b) => limits.sizeOf(a) - limits.sizeOf(b))
  if (leastSignificant === undefined || smallest === undefined) return []
  const areSignificant = leastSignificant.pValue < limits.maxPValue
  if (areSignificant && limits.sizeOf(smallest) > limits.minSize) return described
  const weakest = areSignificant ? smallest : leastSignificant
  return removeWeakest(
    values,
    splits.filter((index) => index !== weakest.index),
    limits,
  )
}

function describeSplits(values: readonly number[], splits: readonly number[]): MeanChange[] {
  const parts = listParts(splits, values.length)
  return splits.map((index, i) => {
    const before = values.slice(parts[i]?.from, index)
    const after = values.slice(index, parts[i + 1]?.to)
    return { index, before: before.length, after: after.length, ...compareSamples(before, after) }
  })
}
