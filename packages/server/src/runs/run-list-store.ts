import type { ListRunsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import type { Query } from '../database/database'
import { createRunFilters } from './run-filter-store'
import { type RunHeadRow, selectRunHeads } from './run-head-store'

const SORT_COLUMNS = {
  started_at: 'runs.started_at_us',
  created_at: 'runs.created_at_us',
  duration: 'runs.duration_us',
  outcome: 'runs.outcome',
  serial_number: 'units.serial_number_folded',
  part_number: 'parts.number_folded',
  revision_number: 'revisions.number_folded',
} as const satisfies Record<ListRunsQuery['sort_by'], string>

/** Runs in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listRuns(query: Query, list: ListRunsQuery): Promise<RunHeadRow[]> {
  let select = selectRunHeads(query)
  for (const condition of createRunFilters(list)) select = select.where(condition)
  if (list.cursor !== undefined) select = select.where(isAfter(list, list.cursor))
  return select
    .orderBy(SORT_COLUMNS[list.sort_by], list.sort_order)
    .orderBy('runs.id', list.sort_order)
    .limit(list.limit + 1)
    .execute()
}

// The cursor is the key of the last run shown: what comes after it stays the same when new runs arrive.
function isAfter({ sort_by, sort_order }: ListRunsQuery, cursor: number): Expression<SqlBool> {
  const column = sql.ref(SORT_COLUMNS[sort_by])
  const comparison = sql.raw(sort_order === 'asc' ? '>' : '<')
  return sql<SqlBool>`(${column}, runs.id) ${comparison} (${sortValueOf(sort_by, cursor)}, ${cursor})`
}

function sortValueOf(sortBy: ListRunsQuery['sort_by'], runId: number): Expression<unknown> {
  const column = sql.ref(SORT_COLUMNS[sortBy].replace('.', '_of_last.'))
  return sql`(SELECT ${column} FROM runs AS runs_of_last
    JOIN units AS units_of_last ON units_of_last.id = runs_of_last.unit_id
    JOIN revisions AS revisions_of_last ON revisions_of_last.id = runs_of_last.revision_id
    JOIN parts AS parts_of_last ON parts_of_last.id = revisions_of_last.part_id
    WHERE runs_of_last.id = ${runId})`
}
