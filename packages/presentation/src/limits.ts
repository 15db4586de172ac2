import type { Measurement, Phase, Validator } from '@runledger/protocol'

/** The numeric limits of a measurement; both ends belong to the allowed range unless they are strict. */
export interface Limits {
  low: number | undefined
  high: number | undefined
  lowIsStrict: boolean
  highIsStrict: boolean
}

/** The numeric limits that a measurement's validators set; undefined when none sets any. */
export function deriveLimits(validators: Validator[] | null): Limits | undefined {
  const limits: Limits = { low: undefined, high: undefined, lowIsStrict: false, highIsStrict: false }
  for (const { operator, expected_value: expected } of validators ?? []) {
    if (typeof expected !== 'number') continue
    if (operator === '>=' || operator === '>') raiseLow(limits, expected, operator === '>')
    if (operator === '<=' || operator === '<') lowerHigh(limits, expected, operator === '<')
  }
  return limits.low === undefined && limits.high === undefined ? undefined : limits
}

export type Position = 'below' | 'inside' | 'above'

/** Where a value lies relative to its limits. */
export function locate(value: number, limits: Limits): Position {
  const { low, high, lowIsStrict, highIsStrict } = limits
  if (low !== undefined && (value < low || (lowIsStrict && value === low))) return 'below'
  if (high !== undefined && (value > high || (highIsStrict && value === high))) return 'above'
  return 'inside'
}

/**
 * How the outcome of a phase contradicts its measurement, if it does: an outcome is kept as it was sent, and
 * the page marks the disagreement (docs/interface.md#steps). A failed phase with several measurements may have
 * failed for any one of them.
 */
export function findDisagreement(
  phase: Phase,
  measurement: Measurement,
): 'passed-outside' | 'failed-inside' | undefined {
  const limits = deriveLimits(measurement.validators)
  if (!limits || typeof measurement.measured_value !== 'number') return undefined
  const isInside = locate(measurement.measured_value, limits) === 'inside'
  if (!isInside && phase.outcome === 'PASS') return 'passed-outside'
  if (isInside && phase.outcome === 'FAIL' && phase.measurements.length === 1) return 'failed-inside'
  return undefined
}

/** Where limits and value lie on a scale from 0 to 1. A value far outside sits at the end of the scale. */
export interface GaugeScale {
  low: number | undefined
  high: number | undefined
  value: number
}

const MARGIN = 0.25

/**
 * Lays limits and value out on a scale with a quarter of it free on either side of the allowed range. A range that is open
 * on one side is drawn as long as its limit is large, so that zero lies at its other end; less of it where the value is near
 * the limit, so that the two stand apart.
 */
export function scaleGauge(value: number, { low, high }: Limits): GaugeScale | undefined {
  const limit = low ?? high
  if (limit === undefined) return undefined
  const wholeSpan = Math.abs(limit) || Math.abs(value) || 1
  const openSpan = Math.min(wholeSpan, Math.max(4 * Math.abs(value - limit), wholeSpan / 20))
  let start = low ?? limit - openSpan
  let end = high ?? limit + openSpan
  if (end <= start) [start, end] = [limit - openSpan / 10, limit + openSpan / 10]
  const toScale = (at: number) => clamp(MARGIN + ((at - start) / (end - start)) * (1 - 2 * MARGIN))
  return {
    low: low === undefined ? undefined : toScale(low),
    high: high === undefined ? undefined : toScale(high),
    value: toScale(value),
  }
}

function clamp(position: number): number {
  if (Number.isNaN(position)) return 0.5
  return Math.min(Math.max(position, 0.02), 0.98)
}

function raiseLow(limits: Limits, low: number, isStrict: boolean): void {
  if (limits.low !== undefined && limits.low >= low) return
  limits.low = low
  limits.lowIsStrict = isStrict
}

function lowerHigh(limits: Limits, high: number, isStrict: boolean): void {
  if (limits.high !== undefined && limits.high <= high) return
  limits.high = high
  limits.highIsStrict = isStrict
}
