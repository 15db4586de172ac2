import type { PlacedMeasurement } from '@runledger/protocol'

/** Positions on a strip in per cent of its width. */
export interface ValueScale {
  value: number
  /** The allowed range; an open end lies at the strip's. */
  allowed: readonly [from: number, to: number] | undefined
  range: readonly [from: number, to: number] | undefined
  middle: readonly [from: number, to: number] | undefined
}

const MARGIN = 4

/** Fits the value, its limits and those of other units into one strip. */
export function scaleValue(measured: PlacedMeasurement): ValueScale {
  const { value, limit_low: low, limit_high: high, others } = measured
  const shown = [value, low, high, others?.min, others?.max].filter(
    (one) => one !== null && one !== undefined,
  )
  const least = Math.min(...shown)
  const span = Math.max(...shown) - least
  const place = (at: number) => (span === 0 ? 50 : MARGIN + ((at - least) / span) * (100 - 2 * MARGIN))
  return {
    value: place(value),
    allowed:
      low === null && high === null
        ? undefined
        : [low === null ? 0 : place(low), high === null ? 100 : place(high)],
    range: others ? [place(others.min), place(others.max)] : undefined,
    middle: others ? [place(others.low_quartile), place(others.high_quartile)] : undefined,
  }
}
