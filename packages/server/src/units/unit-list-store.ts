import type { ListUnitsQuery } from '@runledger/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Query } from '../database/database'
import { isAfterRow } from '../database/sorted-page'
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
  const order = { value: SORT_VALUES[list.sort_by], key: sql.ref('units.id'), order: list.sort_order }
  let select = selectUnitHeads(query)
  for (const condition of createUnitFilters(list)) select = select.where(condition)
  if (list.cursor !== undefined) {
    const value = list.sort_by === 'created_at' ? list.cursor : await findSortValue(query, list)
    select = select.where(isAfterRow(order, { key: list.cursor, value }))
  }
  return select
    .orderBy(order.value, list.sort_order)
    .orderBy('units.id', list.sort_order)
    .limit(list.limit + 1)
    .execute()
}

async function findSortValue(query: Query, { sort_by, cursor }: ListUnitsQuery): Promise<unknown> {
  const row = await selectUnitHeads(query)
    .clearSelect()
    .select(SORT_VALUES[sort_by].as('value'))
    .where('units.id', '=', cursor ?? 0)
    .executeTakeFirst()
  return row?.value ?? null
}
