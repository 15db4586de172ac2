import type { ListUnitsQuery } from '@runledger/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Query } from '../database/database'
import { selectPage } from '../database/sorted-page'
import { createUnitFilters } from './unit-filter-store'
import { selectUnitHeads, type UnitHeadRow } from './unit-head-store'

// Keys rise with the time of creation. A unit without a run comes before all others, and a value for that compares.
const SORT_VALUES = {
  created_at: sql.ref('units.id'),
  serial_number: sql.ref('units.serial_number_folded'),
  part_number: sql.ref('parts.number_folded'),
  last_run_at: sql`coalesce(last_run.started_at_us, ${sql.lit(Number.MIN_SAFE_INTEGER)})`,
  last_run_procedure: sql`coalesce(last_procedure.name_folded, '')`,
} as const satisfies Record<ListUnitsQuery['sort_by'], RawBuilder<unknown>>

/** Units in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listUnits(query: Query, list: ListUnitsQuery): Promise<UnitHeadRow[]> {
  let select = selectUnitHeads(query)
  for (const condition of createUnitFilters(list)) select = select.where(condition)
  return selectPage(query, select, {
    name: `units ${list.sort_by}`,
    value: SORT_VALUES[list.sort_by],
    key: sql.ref('units.id'),
    order: list.sort_order,
    limit: list.limit,
    cursor: list.cursor,
    findValue: async (key) => (list.sort_by === 'created_at' ? key : findSortValue(query, list.sort_by, key)),
  })
}

async function findSortValue(query: Query, sortBy: ListUnitsQuery['sort_by'], key: number): Promise<unknown> {
  const row = await selectUnitHeads(query)
    .clearSelect()
    .select(SORT_VALUES[sortBy].as('value'))
    .where('units.id', '=', key)
    .executeTakeFirst()
  return row?.value
}
