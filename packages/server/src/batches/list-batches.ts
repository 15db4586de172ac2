import { type BatchListItem, formatTimestampUs, type ListBatchesQuery, type Page } from '@runledger/protocol'
import type { Context } from '../context'
import { pageFrom } from '../database/page'
import { mapCreatedBy } from '../keys/created-by'
import { listBatches } from './batch-list-store'

/** `GET /v2/batches`. */
export async function listBatchPage(
  { database }: Context,
  list: ListBatchesQuery,
): Promise<Page<BatchListItem>> {
  return pageFrom(await listBatches(database.query, list), list.limit, (row) => ({
    id: row.public_id,
    number: row.number,
    created_at: formatTimestampUs(row.created_at_us),
    unit_count: Number(row.unit_count ?? 0),
    ...mapCreatedBy(row),
  }))
}
