import { type CreateRunRequest, parseDurationUs, parseTimestampUs, type Step } from '@runledger/protocol'
import { deriveMeasurementOutcome } from './derive-measurement-outcome'
import type { MeasurementRecord, PhaseRecord, RunRecord } from './run-record'

/** Maps a v1 run to the stored shape: a step is a phase, its measurement the phase's measurement. */
export function mapV1Run(request: CreateRunRequest, receivedAtUs: number): RunRecord {
  const durationUs = parseDurationUs(request.duration) ?? 0
  return {
    outcome: request.run_passed ? 'PASS' : 'FAIL',
    startedAtUs: deriveStartedAtUs(request.started_at, durationUs, receivedAtUs),
    durationUs,
    phases: (request.steps ?? []).map(mapStep),
    metadata: Object.entries(request.report_variables ?? {}),
    declaredAttachments: [...new Set(request.attachments ?? [])],
  }
}

/**
 * When a run started: as sent, else the time of receipt less the duration (contract decisions, v1); a duration longer
 * than the time since the epoch leaves the epoch.
 */
export function deriveStartedAtUs(
  startedAt: string | undefined,
  durationUs: number,
  receivedAtUs: number,
): number {
  const sent = startedAt === undefined ? undefined : parseTimestampUs(startedAt)
  return sent ?? Math.max(0, receivedAtUs - durationUs)
}

/** What is worth a remark in the answer; every value is stored as it was sent. */
export function deriveWarnings({ phases }: RunRecord): string[] {
  const reversed = phases.filter(({ measurements: [measurement] }) => hasReversedLimits(measurement))
  const disagreeing = phases.filter(
    ({ outcome, measurements: [measurement] }) => outcome === 'PASS' && measurement?.outcome === 'FAIL',
  )
  return [
    ...describe(reversed, 'with limit_low above limit_high'),
    ...describe(disagreeing, 'passed with a value outside the limits, stored as sent'),
  ]
}

function describe(phases: PhaseRecord[], what: string): string[] {
  const [first] = phases
  if (!first) return []
  return [
    `${phases.length} ${phases.length === 1 ? 'step' : 'steps'} ${what}; the first is "${first.name.slice(0, 100)}"`,
  ]
}

function hasReversedLimits(measurement: MeasurementRecord | undefined): boolean {
  if (!measurement || measurement.limitLow === null || measurement.limitHigh === null) return false
  return measurement.limitLow > measurement.limitHigh
}

function mapStep(step: Step): PhaseRecord {
  return {
    name: step.name,
    outcome: step.step_passed ? 'PASS' : 'FAIL',
    startedAtUs: parseTimestampUs(step.started_at) ?? 0,
    durationUs: parseDurationUs(step.duration) ?? 0,
    retryCount: 0,
    measurements: hasMeasurement(step) ? [mapMeasurement(step)] : [],
  }
}

function hasMeasurement({ measurement_value, measurement_unit, limit_low, limit_high }: Step): boolean {
  return [measurement_value, measurement_unit, limit_low, limit_high].some((field) => field !== undefined)
}

function mapMeasurement(step: Step): MeasurementRecord {
  const limited = {
    value: step.measurement_value ?? null,
    limitLow: step.limit_low ?? null,
    limitHigh: step.limit_high ?? null,
  }
  return {
    ...limited,
    name: step.name,
    unitOfMeasure: step.measurement_unit ?? null,
    outcome: deriveMeasurementOutcome(limited),
  }
}
