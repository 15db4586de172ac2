import { foldIdentifier, type ListPartsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, containsTyped, isLike, likeContaining } from '../../../storage/database/conditions'
import type { Query, Transaction } from '../../../storage/database/database'
import type { PartsTable } from '../../../storage/database/schema/units'
import { selectPage, type SortValues } from '../../../storage/database/sorted-page'
import type { Creation } from '../../access/keys/principal'
import { isOneOfProcedures } from '../procedures/store'
import { CREATED_BY_COLUMNS } from '../../access/users/store'

export async function findPart(transaction: Transaction, number: string): Promise<PartsTable | undefined> {
  const text = 'SELECT * FROM parts WHERE number_folded = ?'
  const [part] = await transaction.all<PartsTable>(text, [foldIdentifier(number)])
  return part
}

export async function findPartOfRevision(
  transaction: Transaction,
  revisionId: number,
): Promise<PartsTable | undefined> {
  const text =
    'SELECT parts.* FROM parts JOIN revisions ON revisions.part_id = parts.id WHERE revisions.id = ?'
  const [part] = await transaction.all<PartsTable>(text, [revisionId])
  return part
}

/** The number must be new. */
export async function insertPart(
  query: Query,
  creation: Creation,
  { number, name }: { number: string; name: string },
): Promise<PartsTable> {
  return query
    .insertInto('parts')
    .values({
      ...creation,
      number,
      number_folded: foldIdentifier(number),
      name,
      updated_at_us: null,
      image_id: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function findPartDetail(query: Query, number: string) {
  return query
    .selectFrom('parts')
    .leftJoin('users', 'users.id', 'parts.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'parts.created_by_station_id')
    .selectAll('parts')
    .select(CREATED_BY_COLUMNS)
    .where('parts.number_folded', '=', foldIdentifier(number))
    .executeTakeFirst()
}

export async function updatePartRow(
  query: Query,
  id: number,
  change: Partial<Pick<PartsTable, 'number' | 'number_folded' | 'name' | 'updated_at_us' | 'image_id'>>,
): Promise<void> {
  await query.updateTable('parts').set(change).where('id', '=', id).execute()
}

/** Also deletes its revisions. */
export async function deletePartRow(query: Query, id: number): Promise<void> {
  await query.deleteFrom('revisions').where('part_id', '=', id).execute()
  await query.deleteFrom('parts').where('id', '=', id).execute()
}

// Keys rise with the time of creation.
const SORT_VALUES: SortValues<ListPartsQuery['sort_by']> = {
  created_at: 'parts.id',
  name: sql`lower(parts.name)`,
  number: 'parts.number_folded',
}

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

function hasRun(isProcedure: Expression<SqlBool>): Expression<SqlBool> {
  return sql<SqlBool>`EXISTS (SELECT 1 FROM revisions
    JOIN live_runs AS runs ON runs.revision_id = revisions.id
    JOIN procedures ON procedures.id = runs.procedure_id
    WHERE revisions.part_id = parts.id AND ${isProcedure})`
}
