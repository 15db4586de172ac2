import type { UnitListItem } from '@runledger/protocol'

/** Columns of a part and one of its revisions, from inner joins. */
export interface PartReferenceColumns {
  part_public_id: string
  part_number: string
  part_name: string
  revision_public_id: string
  revision_number: string
}

/** The part that a record names, with its revision. */
export function mapPartReference(row: PartReferenceColumns): UnitListItem['part'] {
  return {
    id: row.part_public_id,
    number: row.part_number,
    name: row.part_name,
    revision: { id: row.revision_public_id, number: row.revision_number, image: null },
  }
}
