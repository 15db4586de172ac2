import type { PlacedMeasurement, UnitVerdict } from '@runledger/protocol'
import { formatCount, formatNumber } from './number'
import { describeOutcome, type OutcomeLook } from './outcome'
import { formatShare } from './rate'

/** The word and tone of a unit's verdict in a procedure. */
export function lookOfUnitVerdict({ outcome }: Pick<UnitVerdict, 'outcome'>): OutcomeLook {
  return outcome === null ? { word: 'Not tested', tone: 'quiet' } : describeOutcome(outcome)
}

/** How the unit came to its verdict: on first pass, or after how many runs. */
export function explainUnitVerdict({ outcome, runs, failed, passed_at: passedAt }: UnitVerdict): string {
  if (outcome === null) return 'units of this part are tested here'
  const all = formatCount(runs, 'run')
  if (outcome === 'PASS' && failed === 0) return runs === 1 ? 'on first pass' : `in each of ${all}`
  if (outcome === 'PASS' && passedAt === runs) return `in run ${runs}, after ${failed} failed`
  if (failed === runs) return runs === 1 ? 'in its only run' : `in each of ${all}`
  return `in the last of ${all}, ${failed} of which failed`
}

/** `limits 4.9 to 5.1`, `at most 12`; nothing without limits. */
export function describeValueLimits({ limit_low: low, limit_high: high }: PlacedMeasurement): string {
  if (low !== null && high !== null) return `limits ${formatNumber(low)} to ${formatNumber(high)}`
  if (low !== null) return `at least ${formatNumber(low)}`
  return high === null ? '' : `at most ${formatNumber(high)}`
}

/** The value's place among other units: `above 37 % of 120 others, mean 5.01 ± 0.02`. */
export function describeValuePlace({ others }: PlacedMeasurement): string {
  if (others === null) return 'no value of another unit'
  const { n, below, mean, standard_deviation: deviation } = others
  const spread = deviation === null ? '' : ` ± ${round(deviation)}`
  const place = below === 0 ? 'below all' : below === 1 ? 'above all' : `above ${formatShare(below)}`
  return `${place} of ${n.toLocaleString('en')} ${n === 1 ? 'other' : 'others'}, mean ${round(mean)}${spread}`
}

/** Rounds to four significant digits. */
function round(value: number): string {
  return formatNumber(Number(value.toPrecision(4)))
}
