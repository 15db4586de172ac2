import type { Readable } from 'node:stream'
import type { ByteRange } from '../blobs/blob-store'
import type { Context } from '../context'
import { findReceivedAttachment } from './attachment-store'
import { resolveMediaType } from './media-type'
import { unknownAttachment } from './receive-attachment'

export interface OpenAttachment {
  /** The last part of its display name. */
  fileName: string
  mediaType: string
  sizeBytes: number
  sha256: string
  read(range?: ByteRange): Readable
}

/** The bytes of an attachment with what is needed to send them; 404 when they were never received. */
export async function openAttachment(
  { database, blobs }: Context,
  publicId: string,
): Promise<OpenAttachment> {
  const attachment = await findReceivedAttachment(database.query, publicId)
  if (!attachment) throw unknownAttachment(publicId)
  return {
    fileName: attachment.name.slice(attachment.name.lastIndexOf('/') + 1) || 'attachment',
    mediaType: resolveMediaType(attachment.content_type ?? undefined, attachment.name),
    sizeBytes: attachment.size_bytes,
    sha256: attachment.sha256,
    read: (range) => blobs.read(attachment.sha256, range),
  }
}
