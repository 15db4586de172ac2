import type { Context } from '../context'
import { HttpError } from '../errors'
import { createDownloadUrl } from './address'
import { findAttachment } from './attachment-store'
import { unknownAttachment } from './receive-attachment'

/** Confirms that the bytes of an attachment arrived and returns where they can be read. */
export async function finalizeAttachment(context: Context, publicId: string): Promise<{ url: string }> {
  const attachment = await findAttachment(context.database.query, publicId)
  if (!attachment) throw unknownAttachment(publicId)
  if (attachment.sha256 === null) {
    throw new HttpError(
      'BAD_REQUEST',
      `The bytes of attachment ${publicId} were not received yet. PUT them to its upload address first.`,
    )
  }
  return { url: createDownloadUrl(context, attachment.public_id) }
}
