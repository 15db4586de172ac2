import { forEachBlob } from '../../../storage/folder/blob-files'
import type { FileContext } from './file-context'
import { BytesMissingError, keepBytes } from './bytes'
import { findAttachment } from './store'

/**
 * Does work that needs the bytes of attachments. If bytes are missing, it takes those that clients have sent to the store itself,
 * of which the service learns only now, and does the work again.
 */
export async function withDirectUploads<Result>(
  context: FileContext,
  work: () => Promise<Result>,
): Promise<Result> {
  const tried = new Set<string>()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BytesMissingError) || error.ids.every((id) => tried.has(id))) throw error
      for (const id of error.ids) tried.add(id)
      await forEachBlob(error.ids, (id) => takeDirectUpload(context, id))
    }
  }
}

/** Takes what a client has sent to the store for an attachment without bytes; removed, with 413, when it is too large. */
async function takeDirectUpload(context: FileContext, publicId: string): Promise<void> {
  const { directUploads } = context.blobs
  const attachment = directUploads && (await findAttachment(context.database.query, publicId))
  if (!attachment || attachment.sha256 !== null) return
  const { public_id: id } = attachment
  const upload = await directUploads.stage(id, context.config.maxAttachmentBytes)
  if (!upload) return
  await keepBytes(context, attachment, { staged: upload, contentType: upload.contentType })
  context.metrics.countBytes('attachment', upload.sizeBytes)
  // A clean-up removes it later.
  await directUploads.remove(id).catch((error: unknown) => {
    context.log.error('A file that was taken could not be removed from where its client sent it', error)
  })
}
