import { type BatchDetail, formatTimestampUs } from '@runledger/protocol'
import type { Context } from '../context'
import { mapCreatedBy } from '../keys/created-by'
import { mapPartReference } from '../parts/map-part-reference'
import { findBatchDetail, listUnitsOfBatch } from './batch-detail-store'
import { unknownBatch } from './batch-errors'

/** `GET /v2/batches/{number}`; 404 for a batch that does not exist. */
export async function getBatch({ database }: Context, number: string): Promise<BatchDetail> {
  const batch = await findBatchDetail(database.query, number)
  if (!batch) throw unknownBatch(number)
  const units = await listUnitsOfBatch(database.query, batch.id)
  return {
    id: batch.public_id,
    number: batch.number,
    created_at: formatTimestampUs(batch.created_at_us),
    ...mapCreatedBy(batch),
    units: units.map((unit) => ({
      id: unit.public_id,
      serial_number: unit.serial_number,
      created_at: formatTimestampUs(unit.created_at_us),
      part: mapPartReference(unit),
    })),
  }
}
