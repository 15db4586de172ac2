import type { ListRunsQuery } from '@runledger/protocol'
import type { Query } from '../database/database'
import { selectPage, type SortValues } from '../database/sorted-page'
import { createRunFilters } from './run-filter-store'
import { type RunHeadRow, selectRunHeads } from './run-head-store'

const SORT_VALUES: SortValues<ListRunsQuery['sort_by']> = {
  started_at: 'runs.started_at_us',
  created_at: 'runs.created_at_us',
  duration: 'runs.duration_us',
  outcome: 'runs.outcome',
  serial_number: 'units.serial_number_folded',
  part_number: 'parts.number_folded',
  revision_number: 'revisions.number_folded',
}

/** Runs in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listRuns(query: Query, list: ListRunsQuery): Promise<RunHeadRow[]> {
  return selectPage(query, selectRunHeads(query), {
    table: 'runs',
    sortValues: SORT_VALUES,
    filters: createRunFilters(list),
    list,
  })
}
