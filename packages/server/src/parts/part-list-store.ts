import { foldIdentifier, type ListPartsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, containsTyped } from '../database/conditions'
import type { Query } from '../database/database'
import { isLike, likeContaining } from '../database/like'
import { selectPage, type SortValues } from '../database/sorted-page'
import { CREATED_BY_COLUMNS } from '../keys/created-by'
import { isOneOfProcedures } from '../procedures/procedure-filter-store'

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
