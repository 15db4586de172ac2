import { lstatSync } from 'node:fs'
import type { ServiceClient } from '../api/service-client'
import { ApiError, AttachmentError, describeError, explainFailure } from '../model/errors'
import { note, type Run, type RunAttachment } from '../model/run'
import { digestFile } from '../util/files'

/** The upload address is expired or invalid: the attachment is initialised again, once. */
const EXPIRED = new Set([403, 404, 410])

export type BegunUploads = Map<string, Promise<string>>

/** Sends attachments that do not go with the creation; with `inline`, texts do. */
export function beginSending(
  client: ServiceClient,
  run: Run,
  { begun, inline }: { begun: BegunUploads; inline: boolean },
): void {
  for (const attachment of listMissing(run)) {
    if (inline && typeof attachment.content === 'string') continue
    const id = send(client, attachment, run)
    // The caller that awaits the id gets the failure.
    id.catch(() => undefined)
    begun.set(attachment.name, id)
  }
}

export async function sendAttachments(
  client: ServiceClient,
  run: Run,
  begun: BegunUploads,
): Promise<AttachmentError[]> {
  const results = await Promise.allSettled(
    listMissing(run).map(async (attachment) => {
      const id = await (begun.get(attachment.name) ?? send(client, attachment, run))
      note(run, { type: 'received', attachment: attachment.name, id })
    }),
  )
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as AttachmentError] : []))
}

function listMissing({ attachments, progress }: Run): RunAttachment[] {
  return attachments.filter(({ name }) => !progress.ids.has(name))
}

/** Returns the id of an early upload, or sends it now. */
async function send(client: ServiceClient, attachment: RunAttachment, run: Run): Promise<string> {
  return (await run.findEarly?.(attachment)) ?? sendNow(client, attachment, run)
}

async function sendNow(
  client: ServiceClient,
  attachment: RunAttachment,
  { hasWaited }: Run,
): Promise<string> {
  try {
    if (hasWaited) await checkBytes(attachment)
    return await sendAttachment(client, attachment)
  } catch (error) {
    const advice = error instanceof ApiError && error.statusCode === 413 ? `; ${explainFailure(error)}` : ''
    throw new AttachmentError(`attachment "${attachment.name}": ${describeError(error)}${advice}`, {
      cause: error,
    })
  }
}

/** @throws NetworkError, ApiError, AttachmentError */
export async function sendAttachment(client: ServiceClient, attachment: RunAttachment): Promise<string> {
  const { name, contentType, content } = attachment
  const first = await client.initializeAttachment(name)
  try {
    await client.putAttachment(first.upload_url, content, contentType)
    return first.id
  } catch (error) {
    if (!(error instanceof ApiError) || !EXPIRED.has(error.statusCode)) throw error
  }
  const second = await client.initializeAttachment(name)
  await client.putAttachment(second.upload_url, content, contentType)
  return second.id
}

/** Bytes that waited on disk must be unchanged. @throws AttachmentError */
async function checkBytes({ content }: RunAttachment): Promise<void> {
  if (typeof content === 'string' || !('path' in content) || content.sha256 === undefined) return
  const isFile = lstatSync(content.path, { throwIfNoEntry: false })?.isFile()
  if (isFile === false) throw new AttachmentError('its copy in the spool is not a file')
  const found = await digestFile(content.path).catch((error: unknown) => {
    throw new AttachmentError(`the file cannot be read: ${describeError(error)}`, { cause: error })
  })
  if (found.sizeBytes !== content.sizeBytes || found.sha256 !== content.sha256)
    throw new AttachmentError('its bytes in the spool have changed, so they are not sent')
}
