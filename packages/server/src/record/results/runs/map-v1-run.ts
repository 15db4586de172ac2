import {
  type CreateRunRequest,
  parseDurationUs,
  parseTimestampUs,
  type Step,
  type V1Phase,
} from '@runledger/protocol'
import { mapInlineTexts } from '../../files/attachments/inline-attachments'
import { mapInTurns } from '../../../base/clock'
import { failedValidation } from '../../../base/errors'
import { deriveMeasurementOutcome } from '../measurements/map'
import { checkTestFacts, countRetries, mapSkipped, mapTestFacts } from '../test-errors/facts'
import { describeDisagreements } from './map'
import { mapLog, mapPhaseFacts } from './map-v2-run'
import { digestOnce, type MeasurementRecord, type PhaseRecord, type RunRequest } from '../run-request'

/** A step becomes a phase, its measurement the phase's measurement. */
export async function mapV1Run(
  request: Omit<CreateRunRequest, 'procedure_id' | 'procedure_name'>,
  receivedAtUs: number,
): Promise<RunRequest> {
  const { unit_under_test: unit } = request
  const durationUs = parseDurationUs(request.duration) ?? 0
  const startedAtUs = deriveStartedAtUs(request.started_at, durationUs, receivedAtUs)
  checkTestFacts(request)
  const steps = await mapInTurns(request.steps ?? [], mapStep)
  const phases = steps.concat(
    await mapInTurns(request.phases ?? [], (phase, index) => mapPhase(phase, index, steps.length)),
  )
  return {
    digest: digestOnce(request),
    receivedAtUs,
    unit: {
      serialNumber: unit.serial_number,
      partNumber: unit.part_number,
      revision: unit.revision,
      batchNumber: unit.batch_number,
      paths: {
        partNumber: ['unit_under_test', 'part_number'],
        revision: ['unit_under_test', 'revision'],
      },
      mayUseDefaultComponent: true,
    },
    subUnits: (request.sub_units ?? []).map(({ serial_number: value }, index) => ({
      value,
      path: ['sub_units', index, 'serial_number'],
    })),
    operatedBy: request.operated_by,
    procedureVersion: request.procedure_version,
    unitMetadata: Object.entries(request.unit_metadata ?? {}),
    record: {
      outcome: request.run_passed ? 'PASS' : 'FAIL',
      startedAtUs,
      durationUs,
      docstring: request.docstring ?? null,
      deploymentId: request.deployment_id ?? null,
      phases: phases.concat(await mapSkipped(request.skipped, startedAtUs)),
      logs: await mapInTurns(request.logs ?? [], mapLog),
      metadata: Object.entries(request.report_variables ?? {}),
      declaredAttachments: [...new Set(request.attachments ?? [])],
    },
    inlineAttachments: mapInlineTexts(request.inline_attachments),
    warnings: await describeDisagreements(phases),
  }
}

/** As sent, else the time of receipt less the duration (docs/interface.md#times), but not before the epoch. */
function deriveStartedAtUs(startedAt: string | undefined, durationUs: number, receivedAtUs: number): number {
  const sent = startedAt === undefined ? undefined : parseTimestampUs(startedAt)
  return sent ?? Math.max(0, receivedAtUs - durationUs)
}

function mapStep(step: Step): PhaseRecord {
  const retryCount = countRetries(step)
  return {
    name: step.name,
    outcome: step.step_passed ? 'PASS' : 'FAIL',
    startedAtUs: parseTimestampUs(step.started_at) ?? 0,
    durationUs: parseDurationUs(step.duration) ?? 0,
    retryCount,
    docstring: null,
    measurements: hasMeasurement(step) ? [mapMeasurement(step)] : [],
    facts: mapTestFacts(step, { retryCount, indexOfFirst: 0 }),
  }
}

async function mapPhase(phase: V1Phase, index: number, indexOfFirst: number): Promise<PhaseRecord> {
  const startedAtUs = Math.round(phase.start_time_millis * 1000)
  const durationUs = Math.round(phase.end_time_millis * 1000) - startedAtUs
  if (durationUs < 0 || !Number.isSafeInteger(durationUs)) {
    const message = `must not be before start_time_millis, or centuries after it; received "${phase.end_time_millis}"`
    throw failedValidation([{ path: ['phases', index, 'end_time_millis'], message }])
  }
  return { ...(await mapPhaseFacts(phase, indexOfFirst)), startedAtUs, durationUs }
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
    type: limited.value === null ? 'empty' : 'numeric',
    text: null,
    detail: undefined,
  }
}
