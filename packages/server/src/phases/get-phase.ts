import type { PhaseDetail } from '@runledger/protocol'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { mapPhase } from '../runs/map-phase'
import { listMeasurements } from '../runs/run-detail-store'
import { findPhase } from './phase-store'

/** `GET /v2/phases/{id}`; 404 for a phase that does not exist. */
export async function getPhase({ database: { query } }: Context, id: string): Promise<PhaseDetail> {
  const row = await findPhase(query, id)
  if (!row) throw new HttpError('NOT_FOUND', `No phase was found with the id "${id}".`)
  const measurements = await listMeasurements(query, row.run_id)
  return {
    ...mapPhase(
      row,
      measurements.filter(({ phase_id: phaseId }) => phaseId === row.id),
    ),
    run: { id: row.run_public_id, serial_number: row.serial_number },
    procedure: { id: row.procedure_public_id, name: row.procedure_name },
  }
}
