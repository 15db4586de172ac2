import type { MeasurementDetail } from '@runledger/protocol'
import type { Context } from '../context'
import { deriveUuid } from '../database/derived-uuid'
import { HttpError } from '../errors'
import { mapMeasurement } from '../runs/map-measurement'
import { findMeasurement } from './measurement-store'

/** `GET /v2/measurements/{id}`; 404 for a measurement that does not exist. */
export async function getMeasurement({ database }: Context, id: string): Promise<MeasurementDetail> {
  const row = await findMeasurement(database.query, id)
  if (!row) throw new HttpError('NOT_FOUND', `No measurement was found with the id "${id}".`)
  return {
    ...mapMeasurement(row),
    phase: { id: deriveUuid('phase', row.phase_id), name: row.phase_name },
    run: { id: row.run_public_id, outcome: row.run_outcome, serial_number: row.serial_number },
    procedure: { id: row.procedure_public_id, name: row.procedure_name },
  }
}
