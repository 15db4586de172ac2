import type { MetadataChange, MetadataValue } from '@runledger/protocol'
import type { Query, Transaction } from '../database/database'
import { insertRows } from '../database/insert-rows'
import { metadataColumns } from '../metadata/metadata-value'

/** Sets entries of a unit's metadata, each in place of what it had under that name. */
export async function mergeUnitMetadata(
  transaction: Transaction,
  unitId: number,
  entries: readonly [name: string, value: MetadataValue][],
): Promise<void> {
  await insertRows(transaction, {
    table: 'unit_metadata',
    columns: ['unit_id', 'name', 'value_type', 'text_value', 'number_value'],
    rows: entries.map(([name, value]) => {
      const { value_type, text_value, number_value } = metadataColumns(value)
      return [unitId, name, value_type, text_value, number_value]
    }),
    suffix: `ON CONFLICT (unit_id, name) DO UPDATE SET value_type = excluded.value_type,
      text_value = excluded.text_value, number_value = excluded.number_value`,
  })
}

/** Merges into a unit's metadata: a value replaces that of its name, null removes it, and the rest stays. */
export async function changeUnitMetadata(
  transaction: Transaction,
  unitId: number,
  change: MetadataChange,
): Promise<void> {
  const set: [string, MetadataValue][] = []
  for (const [name, value] of Object.entries(change)) {
    if (value === null) await deleteEntry(transaction.query, unitId, name)
    else set.push([name, value])
  }
  await mergeUnitMetadata(transaction, unitId, set)
}

async function deleteEntry(query: Query, unitId: number, name: string): Promise<void> {
  await query.deleteFrom('unit_metadata').where('unit_id', '=', unitId).where('name', '=', name).execute()
}

/** Metadata of these units, in the order of its names. */
export async function listUnitMetadata(query: Query, unitIds: readonly number[]) {
  if (unitIds.length === 0) return []
  return query
    .selectFrom('unit_metadata')
    .selectAll()
    .where('unit_id', 'in', unitIds)
    .orderBy('unit_id')
    .orderBy('name')
    .execute()
}
