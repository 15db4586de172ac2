import type { RunAttachment } from '@runledger/protocol'
import type { Context } from '../context'
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

export const UPLOADS_PATH = '/uploads'
export const DOWNLOADS_PATH = '/downloads'

/** Where the bytes of an attachment are PUT; the PUT must start before the address expires. */
export function createUploadUrl({ publicUrl, signer, config }: Context, id: string): string {
  return `${publicUrl}${UPLOADS_PATH}/${id}?${signer.sign('upload', id, config.uploadLifeSeconds)}`
}

/** Where the bytes of an attachment are read, for a while. */
export function createDownloadUrl({ publicUrl, signer, config }: Context, id: string): string {
  return `${publicUrl}${DOWNLOADS_PATH}/${id}?${signer.signSteadily('download', id, config.downloadLifeSeconds)}`
}
