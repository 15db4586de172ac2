import type { RunDetail } from '@runledger/protocol'
import { listLinkedAttachments } from '../attachments/attachment-store'
import { mapRunAttachment } from '../attachments/map-run-attachment'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { mapMetadata } from '../metadata/metadata-value'
import { mapPhase } from './map-phase'
import { mapRunHead } from './map-run-head'
import { mapRunLog } from './map-run-log'
import {
  listDeclaredAttachments,
  listMeasurements,
  listPhases,
  listRunLogs,
  listSubUnits,
  type MeasurementRow,
} from './run-detail-store'
import { findRunHead, listMetadata } from './run-head-store'

/** `GET /v2/runs/{id}`; 404 for a run that does not exist. */
export async function getRun(context: Context, publicId: string): Promise<RunDetail> {
  const { query } = context.database
  const head = await findRunHead(query, publicId)
  if (!head) throw unknownRun(publicId)
  const measurements = groupByPhase(await listMeasurements(query, head.id))
  const phases = await listPhases(query, head.id)
  const attachments = await listLinkedAttachments(query, 'run', head.id)
  const metadata = await listMetadata(query, [head.id])
  return {
    ...mapRunHead(head),
    phases: phases.map((phase) => mapPhase(phase, measurements.get(phase.id) ?? [])),
    attachments: attachments.map((attachment) => mapRunAttachment(context, attachment)),
    declared_attachments: await listDeclaredAttachments(query, head.id),
    logs: (await listRunLogs(query, head.id)).map(mapRunLog),
    sub_units: (await listSubUnits(query, head.id)).map(({ public_id: id, ...unit }) => ({ id, ...unit })),
    metadata: mapMetadata(metadata),
  }
}

export function unknownRun(id: string): HttpError {
  return new HttpError('NOT_FOUND', `No run was found with the id "${id}".`)
}

function groupByPhase(rows: MeasurementRow[]): Map<number, MeasurementRow[]> {
  const byPhase = new Map<number, MeasurementRow[]>()
  for (const row of rows) {
    const group = byPhase.get(row.phase_id)
    if (group) group.push(row)
    else byPhase.set(row.phase_id, [row])
  }
  return byPhase
}
