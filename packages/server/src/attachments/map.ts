import type { RunAttachment } from '@runledger/protocol'
import type { Context } from '../context'
import { createDownloadUrl } from './address'
import type { LinkedAttachmentRow } from './store'

/** An attachment as `GET /v2/runs/{id}` shows it. */
export function mapRunAttachment(context: Context, row: LinkedAttachmentRow): RunAttachment {
  return {
    id: row.public_id,
    name: row.name,
    size: row.size_bytes,
    content_type: row.content_type,
    is_report: false,
    download_url: createDownloadUrl(context, row.public_id),
  }
}
