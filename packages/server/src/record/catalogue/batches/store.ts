import { foldIdentifier, type ListBatchesQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import {
  allOf,
  isAtLeast,
  isAtMost,
  isLike,
  isOneOf,
  likeContaining,
  timeUs,
} from '../../../storage/database/conditions'
import type { Query, Transaction } from '../../../storage/database/database'
import { selectPage, type SortValues } from '../../../storage/database/sorted-page'
import type { Creation } from '../../access/keys/principal'
import { CREATED_BY_COLUMNS } from '../../access/users/store'

interface Batch {
  id: number
  public_id: string
  number: string
}

export async function findBatch(query: Query, number: string): Promise<Batch | undefined> {
  return query
    .selectFrom('batches')
    .select(['id', 'public_id', 'number'])
    .where('number_folded', '=', foldIdentifier(number))
    .executeTakeFirst()
}

/** Undefined when the number is taken. */
export async function insertBatch(
  query: Query,
  creation: Creation,
  number: string,
): Promise<Batch | undefined> {
  return query
    .insertInto('batches')
    .values({ ...creation, number, number_folded: foldIdentifier(number) })
    .onConflict((conflict) => conflict.columns(['number_folded', 'organisation_id']).doNothing())
    .returning(['id', 'public_id', 'number'])
    .executeTakeFirst()
}

export async function updateBatchNumber(query: Query, id: number, number: string): Promise<void> {
  await query
    .updateTable('batches')
    .set({ number, number_folded: foldIdentifier(number) })
    .where('id', '=', id)
    .execute()
}

export async function findBatchKey(
  transaction: Transaction,
  number: string,
): Promise<{ id: number } | undefined> {
  const text = 'SELECT id FROM batches WHERE number_folded = ?'
  const [batch] = await transaction.all<{ id: number }>(text, [foldIdentifier(number)])
  return batch
}

// Keys rise with the time of creation.
const SORT_VALUES: SortValues<ListBatchesQuery['sort_by']> = {
  created_at: 'batches.id',
  number: 'batches.number_folded',
}

export async function listBatches(query: Query, list: ListBatchesQuery) {
  return selectPage(query, selectCountedBatches(query), {
    table: 'batches',
    sortValues: SORT_VALUES,
    filters: createFilters(list),
    list,
  })
}

// An index alone counts the units of a batch; few are being deleted.
function selectCountedBatches(query: Query) {
  const units = sql<number>`(SELECT count(*) FROM units WHERE units.batch_id = batches.id)`
  const deleted = sql<number>`(SELECT count(*) FROM deletions JOIN units ON units.id = deletions.record_id
    WHERE deletions.kind = 'unit' AND units.batch_id = batches.id)`
  return selectBatches(query).select(sql<number>`${units} - ${deleted}`.as('unit_count'))
}

function createFilters(list: ListBatchesQuery): Expression<SqlBool>[] {
  const search = list.search_query
  return [
    ...isOneOf('batches.public_id', list.ids?.map(foldIdentifier)),
    ...isOneOf('batches.number_folded', list.numbers?.map(foldIdentifier)),
    ...isAtLeast('batches.created_at_us', timeUs(list.created_after)),
    ...isAtMost('batches.created_at_us', timeUs(list.created_before)),
    ...(search ? [isLike(sql.ref('batches.number_folded'), likeContaining(foldIdentifier(search)))] : []),
    ...unitFilter([
      ...isOneOf('parts.number_folded', list.part_numbers?.map(foldIdentifier)),
      ...isOneOf('revisions.number_folded', list.revision_numbers?.map(foldIdentifier)),
    ]),
  ]
}

function unitFilter(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool>[] {
  if (conditions.length === 0) return []
  return [
    sql<SqlBool>`EXISTS (SELECT 1 FROM live_units AS units
      JOIN revisions ON revisions.id = units.revision_id
      JOIN parts ON parts.id = revisions.part_id
      WHERE units.batch_id = batches.id AND ${allOf(conditions)})`,
  ]
}

function selectBatches(query: Query) {
  return query
    .selectFrom('live_batches as batches')
    .leftJoin('users', 'users.id', 'batches.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'batches.created_by_station_id')
    .select(['batches.id', 'batches.public_id', 'batches.number', 'batches.created_at_us'])
    .select(CREATED_BY_COLUMNS)
}

export async function findBatchDetail(query: Query, number: string) {
  return selectBatches(query).where('batches.number_folded', '=', foldIdentifier(number)).executeTakeFirst()
}

export async function listUnitsOfBatch(query: Query, batchId: number, limit: number) {
  return query
    .selectFrom('live_units as units')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .select(['units.public_id', 'units.serial_number', 'units.created_at_us'])
    .select(['parts.public_id as part_public_id', 'parts.number as part_number', 'parts.name as part_name'])
    .select(['revisions.public_id as revision_public_id', 'revisions.number as revision_number'])
    .where('units.batch_id', '=', batchId)
    .orderBy('units.serial_number_folded')
    .limit(limit)
    .execute()
}

export type BatchUnitRow = Awaited<ReturnType<typeof listUnitsOfBatch>>[number]
