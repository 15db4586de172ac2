import type { MetadataType, MetadataValue } from '@runledger/protocol'

/** A value of metadata as tables have it: its text, and its type; of a number its value, to compare. */
export interface MetadataColumns {
  value_type: MetadataType
  text_value: string
  number_value: number | null
}

export function metadataColumns(value: MetadataValue): MetadataColumns {
  return {
    value_type: typeof value as MetadataType,
    text_value: String(value),
    number_value: typeof value === 'number' ? value : null,
  }
}

/** The value that was sent. */
export function mapMetadataValue(row: MetadataColumns): MetadataValue {
  if (row.value_type === 'boolean') return row.text_value === 'true'
  return row.value_type === 'number' ? (row.number_value ?? Number(row.text_value)) : row.text_value
}

/** `metadata` as it is answered, in the order of the rows. */
export function mapMetadata(
  rows: readonly (MetadataColumns & { name: string })[],
): Record<string, MetadataValue> {
  return Object.fromEntries(rows.map((row) => [row.name, mapMetadataValue(row)]))
}
