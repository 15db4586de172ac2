import { formatTimestampUs, type ListPartsQuery, type Page, type PartListItem } from '@runledger/protocol'
import type { Context } from '../context'
import { groupBy } from '../database/group-by'
import { pageFrom } from '../database/page'
import { mapCreatedBy } from '../keys/created-by'
import { listParts } from './part-list-store'
import { listRevisionRecords } from './revision-record-store'

/** `GET /v2/parts`. */
export async function listPartPage({ database }: Context, list: ListPartsQuery): Promise<Page<PartListItem>> {
  const rows = await listParts(database.query, list)
  const shown = rows.slice(0, list.limit).map(({ id }) => id)
  const revisions = groupBy(await listRevisionRecords(database.query, shown), ({ part_id }) => part_id)
  return pageFrom(rows, list.limit, (row) => ({
    id: row.public_id,
    number: row.number,
    name: row.name,
    created_at: formatTimestampUs(row.created_at_us),
    revisions: (revisions.get(row.id) ?? []).map(({ public_id: id, number }) => ({
      id,
      number,
      image: null,
    })),
    ...mapCreatedBy(row),
  }))
}
