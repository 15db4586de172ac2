import type { Measurement, Phase, Validator } from '@runledger/protocol'

/** Both ends belong to the allowed range unless they are strict. */
export interface Limits {
  low: number | undefined
  high: number | undefined
  lowIsStrict: boolean
  highIsStrict: boolean
}

/** Undefined if no validator sets a limit. */
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
 * How a phase's outcome contradicts its measurement: outcomes are stored as sent, and the page marks the contradiction
 * (docs/interface.md#steps). A failed phase with several measurements may have failed for any of them.
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

/** Positions on a scale from 0 to 1. A value far outside sits at the end. */
export interface GaugeScale {
  low: number | undefined
  high: number | undefined
  value: number
}

const MARGIN = 0.25

/**
 * Leaves a quarter of the scale free on either side of the allowed range. A range that is open on one side is as long as
 * its limit is large, so that zero lies at its other end; shorter if the value is near the limit.
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
