import { foldIdentifier } from '@runledger/protocol'
import type { Query } from '../database/database'
import type { PartsTable } from '../database/schema/units'
import { CREATED_BY_COLUMNS } from '../keys/created-by'
import type { Creation } from '../keys/creation'

/** A part by its number, without regard to case, with who created it. */
export async function findPartRecord(query: Query, number: string) {
  return query
    .selectFrom('parts')
    .leftJoin('users', 'users.id', 'parts.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'parts.created_by_station_id')
    .selectAll('parts')
    .select(CREATED_BY_COLUMNS)
    .where('parts.number_folded', '=', foldIdentifier(number))
    .executeTakeFirst()
}

export type PartRecord = NonNullable<Awaited<ReturnType<typeof findPartRecord>>>

/** Inserts a part; false when there is one with this number. */
export async function insertPartRecord(
  query: Query,
  creation: Creation,
  { number, name }: { number: string; name: string },
): Promise<boolean> {
  const inserted = await query
    .insertInto('parts')
    .values({ ...creation, number, number_folded: foldIdentifier(number), name, updated_at_us: null })
    .onConflict((conflict) => conflict.column('number_folded').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updatePartRecord(
  query: Query,
  id: number,
  change: Partial<Pick<PartsTable, 'number' | 'number_folded' | 'name' | 'updated_at_us'>>,
): Promise<void> {
  await query.updateTable('parts').set(change).where('id', '=', id).execute()
}

/** Deletes a part and its revisions. */
export async function deletePartRecord(query: Query, id: number): Promise<void> {
  await query.deleteFrom('revisions').where('part_id', '=', id).execute()
  await query.deleteFrom('parts').where('id', '=', id).execute()
}
