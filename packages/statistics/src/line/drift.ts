import { findMeanChanges } from '../mean-changes'
import { individualsChart } from './control-chart'

/** A lasting change of the mean of a measurement. */
export interface Drift {
  /** Index of the first value after it. */
  readonly index: number
  readonly meanBefore: number
  readonly valuesBefore: number
  readonly meanAfter: number
  readonly valuesAfter: number
  readonly change: number
  /** `change` in standard deviations within the process. */
  readonly sigmas: number
  /** p-value of a two-sided t-test between the values on both sides. */
  readonly pValue: number
}

const WINDOW = 50
/** Stricter than for durations: a stable series of 300 values then shows a change once in 200 times (`docs/statistics.md`). */
const MAX_P_VALUE = 0.0001
const MIN_SIGMAS = 1

/**
 * Changes of the mean of measured values, in the order of their measurement. As in `findDurationChanges`, but the size of a change
 * is counted in standard deviations within the process, since a share of a mean near 0 says nothing.
 */
export function findDrifts(values: readonly number[]): Drift[] {
  const sigma = individualsChart(values)?.sigma ?? 0
  if (sigma === 0) return []
  const changes = findMeanChanges(values, {
    window: WINDOW,
    maxPValue: MAX_P_VALUE,
    sizeOf: ({ meanBefore, meanAfter }) => Math.abs(meanAfter - meanBefore) / sigma,
    minSize: MIN_SIGMAS,
  })
  return changes.map(({ index, meanBefore, before, meanAfter, after, pValue }) => ({
    index,
    meanBefore,
    valuesBefore: before,
    meanAfter,
    valuesAfter: after,
    change: meanAfter - meanBefore,
    sigmas: (meanAfter - meanBefore) / sigma,
    pValue,
  }))
}
