import { mimes } from 'mrmime'
import type { Readable } from 'node:stream'
import type { ByteRange, StagedBlob } from '../../../storage/blobs/blob-store'
import { type CountBlob, keepBlobs } from '../blobs/keep-blobs'
import { tooLargeError } from '../../../storage/blobs/staging-folder'
import { dropBlobReference, removeBlobs } from '../blobs/store'
import type { FileContext } from './file-context'
import type { Query } from '../../../storage/database/database'
import type { AttachmentsTable } from '../../../storage/database/schema/index'
import { HttpError, notFound } from '../../../base/errors'
import { findAttachment, findReceivedAttachment, isImage, updateAttachment } from './store'

interface IncomingBytes {
  body: Readable
  contentType: string | undefined
  /** In bytes; undefined for a chunked body. */
  contentLength: number | undefined
}

/**
 * On disk when this resolves; returns the size. A broken upload leaves nothing. @throws HttpError CONFLICT for other bytes once
 * it is linked or an image, PAYLOAD_TOO_LARGE over the limit, TOO_MANY_REQUESTS with too many unlinked bytes
 */
export async function receiveAttachment(
  context: FileContext,
  publicId: string,
  incoming: IncomingBytes,
): Promise<number> {
  const attachment = await findAttachment(context.database.query, publicId)
  if (!attachment) throw attachmentNotFound(publicId)
  const { maxAttachmentBytes } = context.config
  if ((incoming.contentLength ?? 0) > maxAttachmentBytes) throw tooLargeError(maxAttachmentBytes)
  const owners = [
    attachment.run_id,
    attachment.unit_id,
    attachment.link_to_run_id,
    attachment.link_to_unit_id,
  ]
  const isLinked = owners.some((owner) => owner !== null)
  const end = isLinked ? undefined : await context.unlinked.begin(attachment, incoming.contentLength)
  let received = 0
  try {
    const staged = await context.blobs.stage(incoming.body, maxAttachmentBytes)
    await keepBytes(context, attachment, { staged, contentType: incoming.contentType })
    received = staged.sizeBytes
  } finally {
    end?.(received)
  }
  return received
}

interface ReceivedBytes {
  staged: StagedBlob
  /** As sent. */
  contentType: string | undefined
}

export async function keepBytes(
  context: FileContext,
  { public_id: publicId, ...attachment }: AttachmentsTable,
  { staged, contentType: sent }: ReceivedBytes,
): Promise<void> {
  const contentType = resolveMediaType(sent ?? attachment.content_type ?? undefined, attachment.name)
  try {
    await recordKept(context, { publicId, staged, contentType })
  } finally {
    await staged.discard()
  }
}

interface KeptBytes {
  publicId: string
  staged: StagedBlob
  contentType: string
}

async function recordKept(context: FileContext, received: KeptBytes): Promise<void> {
  const orphan = await keepBlobs(context, [received.staged], (count) =>
    context.database.write(({ query }) => recordBytes(context, query, { ...received, count })),
  )
  if (orphan !== undefined) await removeBlobs(context, [orphan])
}

/** Returns the name of bytes that lost their last attachment. */
async function recordBytes(
  { clock }: FileContext,
  query: Query,
  { publicId, staged, contentType, count }: KeptBytes & { count: CountBlob },
): Promise<string | undefined> {
  const attachment = await findAttachment(query, publicId)
  if (!attachment) throw attachmentNotFound(publicId)
  const isLinked = attachment.run_id !== null || attachment.unit_id !== null
  if (isLinked || (await isImage(query, attachment.id))) return refuseOtherBytes(attachment, staged)
  await count(query, staged)
  await updateAttachment(query, attachment.id, {
    sha256: staged.sha256,
    content_type: contentType,
    received_at_us: clock(),
    run_id: attachment.link_to_run_id,
    unit_id: attachment.link_to_unit_id,
  })
  return attachment.sha256 === null ? undefined : dropBlobReference(query, attachment.sha256)
}

// The same bytes are a retry by a client that never got the response.
function refuseOtherBytes(attachment: AttachmentsTable, staged: StagedBlob): undefined {
  if (attachment.sha256 === staged.sha256) return undefined
  throw new HttpError(
    'CONFLICT',
    'The attachment is in use: its bytes cannot be replaced. Initialize a new attachment.',
  )
}

/**
 * Null for an empty `image_id`. @throws HttpError NOT_FOUND before its bytes came, CONFLICT for an attachment of a run or a unit,
 * with which it would be deleted
 */
export async function findImage(query: Query, imageId: string): Promise<string | null> {
  if (imageId === '') return null
  const image = await findReceivedAttachment(query, imageId)
  if (!image) throw new BytesMissingError([imageId], attachmentNotFound(imageId))
  if (image.run_id !== null || image.unit_id !== null) {
    throw new HttpError(
      'CONFLICT',
      `Attachment ${imageId} is linked to a ${image.run_id === null ? 'unit' : 'run'}. Upload the file again to make it an image.`,
    )
  }
  return image.public_id
}

/** No bytes, or they are still where the client sent them (`withDirectUploads`). */
export class BytesMissingError extends HttpError {
  readonly ids: readonly string[]

  constructor(
    ids: readonly string[],
    { code, message }: Pick<HttpError, 'code' | 'message'> = bytesNotReceivedError(ids),
  ) {
    super(code, message)
    this.ids = ids
  }
}

function bytesNotReceivedError([id]: readonly string[]): HttpError {
  const message = `The bytes of attachment ${id} were not received yet. PUT them to its upload address first.`
  return new HttpError('BAD_REQUEST', message)
}

export function attachmentNotFound(id: string): HttpError {
  return notFound(`attachment with the id "${id}"`)
}

export interface OpenAttachment {
  /** The last part of its display name. */
  fileName: string
  mediaType: string
  sizeBytes: number
  sha256: string
  read(range?: ByteRange): Promise<Readable>
}

/** @throws HttpError NOT_FOUND when the bytes were never received */
export async function openAttachment(
  { database, blobs }: Pick<FileContext, 'database' | 'blobs'>,
  publicId: string,
): Promise<OpenAttachment> {
  const attachment = await findReceivedAttachment(database.query, publicId)
  if (!attachment) throw attachmentNotFound(publicId)
  return {
    fileName: attachment.name.slice(attachment.name.lastIndexOf('/') + 1) || 'attachment',
    mediaType: resolveMediaType(attachment.content_type ?? undefined, attachment.name),
    sizeBytes: attachment.size_bytes,
    sha256: attachment.sha256,
    read: (range) => blobs.read(attachment.object_name, { range, sizeBytes: attachment.size_bytes }),
  }
}

// A map: in a plain object the extension `constructor` has a value too.
const TYPES_BY_EXTENSION = new Map(Object.entries(mimes))

export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;[\x20-\x7e]{0,150})?$/

// Clients send it when they do not know the type.
const SENT_BY_HABIT = new Set(['application/x-www-form-urlencoded'])

/** As sent, else by the name's extension. Browsers take what follows a comma for another type, such as a script's. */
export function resolveMediaType(sent: string | undefined, name: string): string {
  const given = sent?.trim().toLowerCase()
  if (given && isMediaType(given) && !SENT_BY_HABIT.has(bareMediaType(given)))
    return given.includes(',') ? bareMediaType(given) : given
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return TYPES_BY_EXTENSION.get(extension) ?? UNKNOWN_MEDIA_TYPE
}

export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text.trim())
}

/** Without parameters. */
export function bareMediaType(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase()
}
