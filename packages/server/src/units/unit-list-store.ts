import type { ListUnitsQuery } from '@runledger/protocol'
import { sql } from 'kysely'
import type { Query } from '../database/database'
import { selectPage, type SortValues } from '../database/sorted-page'
import { createUnitFilters } from './unit-filter-store'
import { selectUnitHeads, type UnitHeadRow } from './unit-head-store'

// Keys rise with the time of creation. A unit without a run comes before all others, and a value for that compares.
const SORT_VALUES: SortValues<ListUnitsQuery['sort_by']> = {
  created_at: 'units.id',
  serial_number: 'units.serial_number_folded',
  part_number: 'parts.number_folded',
  last_run_at: sql`coalesce(last_run.started_at_us, ${sql.lit(Number.MIN_SAFE_INTEGER)})`,
  last_run_procedure: sql`coalesce(last_procedure.name_folded, '')`,
}

/** Units in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listUnits(query: Query, list: ListUnitsQuery): Promise<UnitHeadRow[]> {
  return selectPage(query, selectUnitHeads(query), {
    table: 'units',
    sortValues: SORT_VALUES,
    filters: createUnitFilters(list),
    list,
  })
}
