import { formatTimestampUs, type RunListItem, type RunLog } from '@runledger/protocol'
import { mapInTurns } from '../../../base/clock'
import { deriveUuid } from '../../../storage/database/keys'
import type { RunLogsTable } from '../../../storage/database/schema/runs'
import { type HttpError, notFound } from '../../../base/errors'
import { deriveMeasurementOutcome } from '../measurements/map'
import { mapPartReference } from '../../catalogue/parts/map'
import { mapPerson, mapStation } from '../../access/users/store'
import type { MeasurementRecord, PhaseRecord } from '../run-request'
import type { RunHeadRow } from './store'
import { mapRunReference } from '../../catalogue/run-reference'

export function mapRunHead(row: RunHeadRow): Omit<RunListItem, 'metadata'> {
  const reference = mapRunReference(row)
  return {
    ...reference,
    procedure: { ...reference.procedure, version: mapVersion(row) },
    unit: {
      id: row.unit_public_id,
      serial_number: row.serial_number,
      sample: row.sample,
      part: mapPartReference(row),
      batch: mapBatch(row),
    },
    docstring: row.docstring,
    created_by_user: mapPerson(row),
    created_by_station: mapStation(row),
    operated_by: mapPerson({
      user_public_id: row.operator_public_id,
      user_name: row.operator_name,
      user_email: row.operator_email,
    }),
  }
}

function mapVersion({
  version_public_id: id,
  version_tag: tag,
}: RunHeadRow): RunListItem['procedure']['version'] {
  return id === null || tag === null ? null : { id, tag }
}

function mapBatch({ batch_public_id: id, batch_number: number }: RunHeadRow): RunListItem['unit']['batch'] {
  return id === null || number === null ? null : { id, number }
}

export function mapRunLog(row: RunLogsTable): RunLog {
  return {
    id: deriveUuid('log', row),
    level: row.level,
    timestamp: formatTimestampUs(row.timestamp_us),
    message: row.message,
    source_file: row.source_file,
    line_number: row.line_number,
  }
}

/** Warnings for the response to run creation; every value is stored as sent. */
export async function describeDisagreements(phases: readonly PhaseRecord[]): Promise<string[]> {
  const reversed: PhaseRecord[] = []
  const disagreeing: PhaseRecord[] = []
  await mapInTurns(phases, (phase) => {
    if (phase.measurements.some(hasReversedLimits)) reversed.push(phase)
    if (phase.outcome === 'PASS' && phase.measurements.some(isOutside)) disagreeing.push(phase)
  })
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

/** The address ends in the run's id (docs/interface.md#run-creation-in-v1). */
export function formatRunUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/runs/${id}`
}

export function formatGroupUrl(publicUrl: string, group: string): string {
  return `${publicUrl}/runs?group=${encodeURIComponent(group)}`
}

export function runNotFound(id: string): HttpError {
  return notFound(`run with the id "${id}"`)
}
