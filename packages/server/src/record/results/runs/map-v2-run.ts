import {
  type CreateV2RunRequest,
  type LogInput,
  type MeasurementInput,
  parseTimestampUs,
  type PhaseInput,
} from '@runledger/protocol'
import { mapInlineTexts } from '../../files/attachments/inline-attachments'
import { mapInTurns } from '../../../base/clock'
import { failedValidation } from '../../../base/errors'
import { mapMeasuredValue } from '../measurements/map'
import { checkTestFacts, countRetries, mapSkipped, mapTestFacts } from '../test-errors/facts'
import { describeDisagreements } from './map'
import {
  digestOnce,
  type LogRecord,
  type MeasurementDetail,
  type MeasurementRecord,
  type PhaseRecord,
  type RunRequest,
} from '../run-request'

/** @throws HttpError BAD_REQUEST for an end before the start, or centuries after it */
export async function mapV2Run(
  body: Omit<CreateV2RunRequest, 'procedure_id'>,
  receivedAtUs: number,
): Promise<RunRequest> {
  checkTestFacts(body)
  const phases = await mapInTurns(body.phases ?? [], (phase, index) => mapPhase(phase, ['phases', index]))
  const period = mapPeriod(body, [])
  return {
    digest: digestOnce(body),
    receivedAtUs,
    unit: {
      serialNumber: body.serial_number,
      partNumber: body.part_number,
      revision: body.revision_number,
      batchNumber: body.batch_number,
      paths: { partNumber: ['part_number'], revision: ['revision_number'] },
      mayUseDefaultComponent: false,
    },
    subUnits: (body.sub_units ?? []).map((value, index) => ({ value, path: ['sub_units', index] })),
    operatedBy: body.operated_by,
    procedureVersion: body.procedure_version,
    unitMetadata: Object.entries(body.unit_metadata ?? {}),
    record: {
      outcome: body.outcome,
      ...period,
      docstring: body.docstring ?? null,
      deploymentId: body.deployment_id ?? null,
      phases: phases.concat(await mapSkipped(body.skipped, period.startedAtUs)),
      logs: await mapInTurns(body.logs ?? [], mapLog),
      metadata: Object.entries(body.metadata ?? {}),
      declaredAttachments: [],
    },
    inlineAttachments: mapInlineTexts(body.inline_attachments),
    warnings: await describeDisagreements(phases),
  }
}

function mapPeriod(
  { started_at, ended_at }: { started_at: string; ended_at: string },
  path: (string | number)[],
): { startedAtUs: number; durationUs: number } {
  const startedAtUs = parseTimestampUs(started_at) ?? 0
  const durationUs = (parseTimestampUs(ended_at) ?? 0) - startedAtUs
  if (durationUs >= 0 && Number.isSafeInteger(durationUs)) return { startedAtUs, durationUs }
  // A duration is exact only up to 2^53 microseconds.
  const message = durationUs < 0 ? 'must not be before started_at' : 'must be within 285 years of started_at'
  throw failedValidation([{ path: [...path, 'ended_at'], message: `${message}; received "${ended_at}"` }])
}

async function mapPhase(phase: PhaseInput, path: (string | number)[]): Promise<PhaseRecord> {
  return { ...(await mapPhaseFacts(phase)), ...mapPeriod(phase, path) }
}

/** Without times, which v1 sends in another form. */
export async function mapPhaseFacts(phase: Omit<PhaseInput, 'started_at' | 'ended_at'>, indexOfFirst = 0) {
  const retryCount = countRetries(phase)
  return {
    name: phase.name,
    outcome: phase.outcome,
    docstring: phase.docstring ?? null,
    measurements: await mapInTurns(phase.measurements ?? [], mapMeasurement),
    retryCount,
    facts: mapTestFacts(phase, { retryCount, indexOfFirst }),
  }
}

function mapMeasurement(measurement: MeasurementInput): MeasurementRecord {
  const series = listDataSeries(measurement)
  return {
    name: measurement.name,
    unitOfMeasure: mapUnits(measurement.units),
    outcome: measurement.outcome,
    ...mapMeasuredValue(measurement.measured_value, series !== undefined),
    limitLow: measurement.lower_limit ?? null,
    limitHigh: measurement.upper_limit ?? null,
    detail: mapDetail({
      validators: measurement.validators,
      aggregations: measurement.aggregations,
      dataSeries: series,
      docstring: measurement.docstring,
    }),
  }
}

// Measurements are found by this text, and it is answered; data series have each unit by itself.
function mapUnits(units: string | string[] | undefined): string | null {
  if (units === undefined) return null
  return typeof units === 'string' ? units : units.join(', ')
}

/** The x axis, then the y axes; a value that is a list of lists of numbers has these, with their units. */
function listDataSeries({
  x_axis,
  y_axis,
  measured_value: value,
  units,
}: MeasurementInput): MeasurementDetail['dataSeries'] {
  if (x_axis || y_axis) return [...(x_axis ? [x_axis] : []), ...(y_axis ?? [])]
  if (!isMatrix(value)) return undefined
  const unitOf = (index: number) => (Array.isArray(units) ? units[index] : units)
  return value.map((data, index) => ({ ...NO_SERIES, data, units: unitOf(index) }))
}

const NO_SERIES = { name: undefined, description: undefined, validators: undefined, aggregations: undefined }

function isMatrix(value: unknown): value is number[][] {
  return Array.isArray(value) && value.length > 0 && value.every((row) => isNumbers(row))
}

function isNumbers(row: unknown): boolean {
  return Array.isArray(row) && row.every((item) => typeof item === 'number')
}

function mapDetail(detail: MeasurementDetail): MeasurementDetail | undefined {
  return Object.values(detail).some((part) => part !== undefined) ? detail : undefined
}

export function mapLog(log: LogInput): LogRecord {
  return {
    level: log.level,
    timestampUs: parseTimestampUs(log.timestamp) ?? 0,
    message: log.message,
    sourceFile: log.source_file,
    lineNumber: log.line_number,
  }
}
