import type { Context } from '../call/context'
import { BytesMissingError, attachmentNotFound } from '../../record/files/attachments/bytes'
import { findAttachment, findReceivedAttachment } from '../../record/files/attachments/store'
import { HttpError } from '../../base/errors'
import { hasUploaded, type Principal, principalOwner } from '../../record/access/keys/principal'

/** A file may be longer than the body of a run creation: embedded files are base64. */
const TIMES_A_BODY = 4

/** @throws HttpError NOT_FOUND; FORBIDDEN for another's upload; BAD_REQUEST before its bytes came, or when it is too long */
export async function readOwnUpload(
  context: Context,
  principal: Principal,
  uploadId: string,
): Promise<{ uploadId: string; bytes: Buffer }> {
  const { query } = context.database
  const attachment = await findAttachment(query, uploadId)
  if (!attachment) throw attachmentNotFound(uploadId)
  if (!hasUploaded(principal, attachment))
    throw new HttpError('FORBIDDEN', `The upload "${uploadId}" is another's. Upload the file with this key.`)
  const received = await findReceivedAttachment(query, uploadId)
  if (!received) throw new BytesMissingError([uploadId])
  const limit = TIMES_A_BODY * context.config.maxBodyBytes
  if (received.size_bytes > limit)
    throw new HttpError(
      'BAD_REQUEST',
      `The file has ${received.size_bytes} bytes, and an import takes at most ${limit}. Leave attachments out of it and upload them by themselves.`,
    )
  const bytes = Buffer.allocUnsafe(received.size_bytes)
  let length = 0
  const wanted = { sizeBytes: received.size_bytes }
  for await (const chunk of await context.blobs.read(received.object_name, wanted))
    length += (chunk as Buffer).copy(bytes, length)
  return { uploadId: attachment.public_id, bytes: bytes.subarray(0, length) }
}

// Longer files wait for each other.
const USUAL_BYTES = 1024 * 1024
const lanes = { usual: Promise.resolve(), long: Promise.resolve() }

/** Only one long file at a time is in memory with its parsed form. */
export async function inImportTurn<Result>(
  context: Context,
  uploadId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const received = await findReceivedAttachment(context.database.query, uploadId)
  const lane = (received?.size_bytes ?? 0) > USUAL_BYTES ? 'long' : 'usual'
  const turn = lanes[lane].then(work)
  lanes[lane] = turn.then(
    () => undefined,
    () => undefined,
  )
  return turn
}

const running = new Map<string, Promise<unknown>>()

/**
 * Joins a repeated request to the first one, which continues after its client stopped waiting. In another process, the import is done
 * again, which stores no run twice.
 */
export async function joinSame<Result>(
  principal: Principal,
  request: unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = JSON.stringify([principalOwner(principal), request])
  const first = running.get(key) as Promise<Result> | undefined
  if (first !== undefined) return first
  const answer = work().finally(() => running.delete(key))
  running.set(key, answer)
  return answer
}
