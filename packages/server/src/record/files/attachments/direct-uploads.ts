import { forEachBlob } from '../../../storage/folder/blob-files'
import type { FileContext } from './file-context'
import { BytesMissingError, keepBytes } from './bytes'
import { findAttachment } from './store'

/** If bytes are missing, takes those that clients sent to the store, which does not report them, and repeats the work. */
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

/** Removes an upload that is too large. @throws HttpError PAYLOAD_TOO_LARGE */
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
