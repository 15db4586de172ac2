import type { ListRunsQuery } from '@runledger/protocol'
import { sql } from 'kysely'
import type { Query } from '../database/database'
import { selectPage } from '../database/sorted-page'
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
  return selectPage(query, select, {
    name: `runs ${list.sort_by}`,
    value: sql.ref(SORT_COLUMNS[list.sort_by]),
    key: sql.ref('runs.id'),
    order: list.sort_order,
    limit: list.limit,
    cursor: list.cursor,
    findValue: (key) => findSortValue(query, list.sort_by, key),
  })
}

async function findSortValue(query: Query, sortBy: ListRunsQuery['sort_by'], key: number): Promise<unknown> {
  const row = await selectRunHeads(query)
    .clearSelect()
    .select(sql.ref(SORT_COLUMNS[sortBy]).as('value'))
    .where('runs.id', '=', key)
    .executeTakeFirst()
  return row?.value
}
