import { deriveMeasurementOutcome } from './derive-measurement-outcome'
import type { MeasurementRecord, PhaseRecord } from './run-record'

/** What is worth a remark in the response to run creation; every value is stored as it was sent. */
export function describeDisagreements(phases: readonly PhaseRecord[]): string[] {
  const reversed = phases.filter(({ measurements }) => measurements.some(hasReversedLimits))
  const disagreeing = phases.filter(
    ({ outcome, measurements }) => outcome === 'PASS' && measurements.some(isOutside),
  )
  return [
    ...describe(reversed, 'with the low limit above the high one'),
    ...describe(disagreeing, 'passed with a value outside the limits, stored as sent'),
  ]
}

function describe(phases: PhaseRecord[], what: string): string[] {
  const [first] = phases
  if (!first) return []
  const noun = phases.length === 1 ? 'step' : 'steps'
  return [`${phases.length} ${noun} ${what}; the first is "${first.name.slice(0, 100)}"`]
}

function isOutside(measurement: MeasurementRecord): boolean {
  return measurement.type === 'numeric' && deriveMeasurementOutcome(measurement) === 'FAIL'
}

function hasReversedLimits({ limitLow, limitHigh }: MeasurementRecord): boolean {
  return limitLow !== null && limitHigh !== null && limitLow > limitHigh
}
