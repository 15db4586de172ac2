import { foldIdentifier } from '@runledger/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Query, Transaction } from '../../../storage/database/database'
import { isFirstOfEach, MOST_SHOWN } from '../../../storage/database/rows'
import type { RevisionsTable } from '../../../storage/database/schema/units'
import type { Creation } from '../../access/keys/principal'
import { CREATED_BY_COLUMNS } from '../../access/users/store'

export async function findRevision(
  transaction: Transaction,
  partId: number,
  number: string,
): Promise<RevisionsTable | undefined> {
  const text = 'SELECT * FROM revisions WHERE part_id = ? AND number_folded = ?'
  const [revision] = await transaction.all<RevisionsTable>(text, [partId, foldIdentifier(number)])
  return revision
}

/** Undefined when the revision is of another part. */
export async function findRevisionByKey(
  transaction: Transaction,
  partId: number,
  id: number,
): Promise<RevisionsTable | undefined> {
  const text = 'SELECT * FROM revisions WHERE id = ? AND part_id = ?'
  const [revision] = await transaction.all<RevisionsTable>(text, [id, partId])
  return revision
}

export async function listFirstRevisions(
  transaction: Transaction,
  partId: number,
  limit: number,
): Promise<RevisionsTable[]> {
  const text = 'SELECT * FROM revisions WHERE part_id = ? ORDER BY id LIMIT ?'
  return transaction.all<RevisionsTable>(text, [partId, limit])
}

/** The number must be new to the part. */
export async function insertRevision(
  query: Query,
  creation: Creation,
  { partId, number }: { partId: number; number: string },
): Promise<RevisionsTable> {
  return query
    .insertInto('revisions')
    .values({
      ...creation,
      part_id: partId,
      number,
      number_folded: foldIdentifier(number),
      image_id: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function findRevisionDetail(query: Query, partId: number, number: string) {
  return query
    .selectFrom('revisions')
    .leftJoin('users', 'users.id', 'revisions.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'revisions.created_by_station_id')
    .selectAll('revisions')
    .select(CREATED_BY_COLUMNS)
    .where('revisions.part_id', '=', partId)
    .where('revisions.number_folded', '=', foldIdentifier(number))
    .executeTakeFirst()
}

/** Oldest first, at most `limit` of each part. */
export async function listRevisions(query: Query, partIds: readonly number[], limit: number) {
  const selectFirst = (partId: RawBuilder<number>) => sql`SELECT id AS key FROM revisions
    WHERE part_id = ${partId} ORDER BY id LIMIT ${limit}`
  return query
    .selectFrom('revisions')
    .select(['id', 'public_id', 'part_id', 'number', 'created_at_us'])
    .where(isFirstOfEach(query, { key: sql.ref('revisions.id'), ownerKeys: partIds, selectFirst }))
    .orderBy('id')
    .execute()
}

export async function updateRevisionRow(
  query: Query,
  id: number,
  change: Partial<Pick<RevisionsTable, 'number' | 'number_folded' | 'image_id'>>,
): Promise<void> {
  await query.updateTable('revisions').set(change).where('id', '=', id).execute()
}

export async function deleteRevisionRow(query: Query, id: number): Promise<void> {
  await query.deleteFrom('revisions').where('id', '=', id).execute()
}

/** The first by serial number; the list of units has them all. */
export async function listUnitsOfRevision(query: Query, revisionId: number) {
  return query
    .selectFrom('live_units as units')
    .select(['public_id', 'serial_number'])
    .where('revision_id', '=', revisionId)
    .orderBy('serial_number_folded')
    .limit(MOST_SHOWN)
    .execute()
}

export async function countRevisionUses(
  query: Query,
  revisionIds: readonly number[],
): Promise<{ units: number; runs: number }> {
  if (revisionIds.length === 0) return { units: 0, runs: 0 }
  const count = async (table: 'units' | 'runs') => {
    const row = await query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('revision_id', 'in', revisionIds)
      .executeTakeFirstOrThrow()
    return Number(row.count)
  }
  return { units: await count('units'), runs: await count('runs') }
}
