import { foldIdentifier } from '@runledger/protocol'
import { inChunks } from '../database/chunks'
import type { Query } from '../database/database'
import type { UnitsTable } from '../database/schema/units'
import type { Creation } from '../keys/creation'

/** A unit by its serial number, without regard to case. */
export async function findUnitRecord(query: Query, serialNumber: string): Promise<UnitsTable | undefined> {
  return query
    .selectFrom('units')
    .selectAll()
    .where('serial_number_folded', '=', foldIdentifier(serialNumber))
    .executeTakeFirst()
}

/** Inserts a unit; false when there is one with this serial number. */
export async function insertUnitRecord(
  query: Query,
  creation: Creation,
  unit: Pick<UnitsTable, 'serial_number' | 'revision_id' | 'sample'>,
): Promise<boolean> {
  const inserted = await query
    .insertInto('units')
    .values({
      ...creation,
      ...unit,
      serial_number_folded: foldIdentifier(unit.serial_number),
      parent_unit_id: null,
      batch_id: null,
      created_by_run_id: null,
    })
    .onConflict((conflict) => conflict.column('serial_number_folded').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export type UnitChange = Partial<
  Pick<
    UnitsTable,
    'serial_number' | 'serial_number_folded' | 'revision_id' | 'batch_id' | 'sample' | 'parent_unit_id'
  >
>

export async function updateUnitRecord(query: Query, id: number, change: UnitChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await query.updateTable('units').set(change).where('id', '=', id).execute()
}

/** Takes out of a unit whatever it holds beside these units. */
export async function removeOtherChildren(
  query: Query,
  id: number,
  keptIds: readonly number[],
): Promise<void> {
  let update = query.updateTable('units').set({ parent_unit_id: null }).where('parent_unit_id', '=', id)
  if (keptIds.length > 0) update = update.where('id', 'not in', keptIds)
  await update.execute()
}

/** Deletes units whose runs are deleted: what they hold stays, and runs of others no longer name them as sub-units. */
export async function deleteUnitRecords(query: Query, ids: readonly number[]): Promise<void> {
  for (const chunk of inChunks(ids)) {
    await query.deleteFrom('run_sub_units').where('unit_id', 'in', chunk).execute()
    await query
      .updateTable('units')
      .set({ parent_unit_id: null })
      .where('parent_unit_id', 'in', chunk)
      .execute()
    await query.deleteFrom('units').where('id', 'in', chunk).execute()
  }
}
