import { foldIdentifier, type ListBatchesQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { allOf, isAtLeast, isAtMost, isOneOf, timeUs } from '../database/conditions'
import type { Query } from '../database/database'
import { isLike, likeContaining } from '../database/like'
import { selectPage, type SortValues } from '../database/sorted-page'
import { selectBatches } from './batch-detail-store'

// Keys rise with the time of creation.
const SORT_VALUES: SortValues<ListBatchesQuery['sort_by']> = {
  created_at: 'batches.id',
  number: 'batches.number_folded',
}

/** Batches in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listBatches(query: Query, list: ListBatchesQuery) {
  return selectPage(query, selectCountedBatches(query), {
    table: 'batches',
    sortValues: SORT_VALUES,
    filters: createFilters(list),
    list,
  })
}

function selectCountedBatches(query: Query) {
  return selectBatches(query).select(({ selectFrom }) =>
    selectFrom('units')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .whereRef('units.batch_id', '=', 'batches.id')
      .as('unit_count'),
  )
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

// Batches with a unit that all of this is true of.
function unitFilter(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool>[] {
  if (conditions.length === 0) return []
  return [
    sql<SqlBool>`EXISTS (SELECT 1 FROM units
      JOIN revisions ON revisions.id = units.revision_id
      JOIN parts ON parts.id = revisions.part_id
      WHERE units.batch_id = batches.id AND ${allOf(conditions)})`,
  ]
}
