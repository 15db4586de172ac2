import { foldIdentifier, type ListPartsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, containsTyped } from '../database/conditions'
import type { Query, Transaction } from '../database/database'
import { isLike, likeContaining } from '../database/like'
import type { PartsTable } from '../database/schema/units'
import { selectPage, type SortValues } from '../database/sorted-page'
import type { Creation } from '../keys/creation'
import { isOneOfProcedures } from '../procedures/store'
import { CREATED_BY_COLUMNS } from '../users/map'

export interface Part {
  id: number
  number: string
}

export interface Revision {
  id: number
  part_id: number
  number: string
}

export async function findPart(transaction: Transaction, number: string): Promise<Part | undefined> {
  const text = 'SELECT id, number FROM parts WHERE number_folded = ?'
  const [part] = await transaction.all<Part>(text, [foldIdentifier(number)])
  return part
}

export async function findPartOfRevision(
  transaction: Transaction,
  revisionId: number,
): Promise<Part | undefined> {
  const text =
    'SELECT parts.id, parts.number FROM parts JOIN revisions ON revisions.part_id = parts.id WHERE revisions.id = ?'
  const [part] = await transaction.all<Part>(text, [revisionId])
  return part
}

export async function insertPart(
  transaction: Transaction,
  creation: Creation,
  part: { number: string; name: string },
): Promise<Part> {
  await transaction.run(
    `INSERT INTO parts (id, public_id, number, number_folded, name, created_at_us, created_by_user_id, created_by_station_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      creation.id,
      creation.public_id,
      part.number,
      foldIdentifier(part.number),
      part.name,
      creation.created_at_us,
      creation.created_by_user_id,
      creation.created_by_station_id,
    ],
  )
  return { id: creation.id, number: part.number }
}

/** A revision of a part by its number, without regard to case. */
export async function findRevision(
  transaction: Transaction,
  partId: number,
  number: string,
): Promise<Revision | undefined> {
  const text = 'SELECT id, part_id, number FROM revisions WHERE part_id = ? AND number_folded = ?'
  const [revision] = await transaction.all<Revision>(text, [partId, foldIdentifier(number)])
  return revision
}

/** The revision with this key, when it belongs to the part. */
export async function findRevisionByKey(
  transaction: Transaction,
  partId: number,
  id: number,
): Promise<Revision | undefined> {
  const text = 'SELECT id, part_id, number FROM revisions WHERE id = ? AND part_id = ?'
  const [revision] = await transaction.all<Revision>(text, [id, partId])
  return revision
}

/** Revisions of a part, oldest first, at most `limit`. */
export async function listRevisions(
  transaction: Transaction,
  partId: number,
  limit: number,
): Promise<Revision[]> {
  const text = 'SELECT id, part_id, number FROM revisions WHERE part_id = ? ORDER BY id LIMIT ?'
  return transaction.all<Revision>(text, [partId, limit])
}

export async function insertRevision(
  transaction: Transaction,
  creation: Creation,
  revision: { partId: number; number: string },
): Promise<Revision> {
  await transaction.run(
    `INSERT INTO revisions (id, public_id, part_id, number, number_folded, created_at_us, created_by_user_id, created_by_station_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      creation.id,
      creation.public_id,
      revision.partId,
      revision.number,
      foldIdentifier(revision.number),
      creation.created_at_us,
      creation.created_by_user_id,
      creation.created_by_station_id,
    ],
  )
  return { id: creation.id, part_id: revision.partId, number: revision.number }
}

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

// Keys rise with the time of creation.
const SORT_VALUES: SortValues<ListPartsQuery['sort_by']> = {
  created_at: 'parts.id',
  name: sql`lower(parts.name)`,
  number: 'parts.number_folded',
}

/** Parts in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listParts(query: Query, list: ListPartsQuery) {
  return selectPage(query, selectParts(query), {
    table: 'parts',
    sortValues: SORT_VALUES,
    filters: createFilters(list),
    list,
  })
}

function selectParts(query: Query) {
  return query
    .selectFrom('parts')
    .leftJoin('users', 'users.id', 'parts.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'parts.created_by_station_id')
    .select(['parts.id', 'parts.public_id', 'parts.number', 'parts.name', 'parts.created_at_us'])
    .select(CREATED_BY_COLUMNS)
}

function createFilters(list: ListPartsQuery): Expression<SqlBool>[] {
  return [
    ...(list.search_query ? [searchFilter(list.search_query)] : []),
    ...isOneOfProcedures(list.procedure_ids).map(hasRun),
  ]
}

function searchFilter(text: string): Expression<SqlBool> {
  const number = isLike(sql.ref('parts.number_folded'), likeContaining(foldIdentifier(text)))
  return anyOf([number, containsTyped('parts.name', text)])
}

// Parts that a run of such a procedure was of.
function hasRun(isProcedure: Expression<SqlBool>): Expression<SqlBool> {
  return sql<SqlBool>`EXISTS (SELECT 1 FROM revisions
    JOIN runs ON runs.revision_id = revisions.id
    JOIN procedures ON procedures.id = runs.procedure_id
    WHERE revisions.part_id = parts.id AND ${isProcedure})`
}
