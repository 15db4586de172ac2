import type { MetadataValue } from '@runledger/protocol'
import type { Transaction } from '../database/database'
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
