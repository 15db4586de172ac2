import { foldIdentifier } from '@runledger/protocol'
import type { Query } from '../database/database'
import { CREATED_BY_COLUMNS } from '../keys/created-by'

/** Batches with who created them. */
export function selectBatches(query: Query) {
  return query
    .selectFrom('batches')
    .leftJoin('users', 'users.id', 'batches.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'batches.created_by_station_id')
    .select(['batches.id', 'batches.public_id', 'batches.number', 'batches.created_at_us'])
    .select(CREATED_BY_COLUMNS)
}

/** A batch by its number, with who created it. */
export async function findBatchDetail(query: Query, number: string) {
  return selectBatches(query).where('batches.number_folded', '=', foldIdentifier(number)).executeTakeFirst()
}

/** Units of a batch with their parts, in the order of their serial numbers. */
export async function listUnitsOfBatch(query: Query, batchId: number) {
  return query
    .selectFrom('units')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .select(['units.public_id', 'units.serial_number', 'units.created_at_us'])
    .select(['parts.public_id as part_public_id', 'parts.number as part_number', 'parts.name as part_name'])
    .select(['revisions.public_id as revision_public_id', 'revisions.number as revision_number'])
    .where('units.batch_id', '=', batchId)
    .orderBy('units.serial_number_folded')
    .execute()
}
