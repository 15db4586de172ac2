import { AttachmentError, ApiError, describeError } from '../model/errors'
import { digestFile } from '../spool/keep-bytes'
import { explainFailure } from '../model/explain-failure'
import { noteProgress, type DeliverableAttachment, type DeliverableRun } from './deliverable-run'
import type { ServiceClient } from './service-client'

/** Answers of an upload address that has expired or was never good: the attachment is initialised anew, once. */
const EXPIRED = new Set([403, 404, 410])

/** Sends every attachment that the service has not acknowledged; one that fails spares the others. Answers the failures. */
export async function deliverAttachments(
  client: ServiceClient,
  run: DeliverableRun,
): Promise<AttachmentError[]> {
  const missing = run.attachments.filter(({ name }) => !run.progress.ids.has(name))
  const results = await Promise.allSettled(
    missing.map(async (attachment) => {
      const early = await takeEarly(run, attachment)
      const id = early ?? (await deliverAttachment(client, attachment, run.hasWaited))
      await noteProgress(run, { event: 'received', attachment: attachment.name, id })
    }),
  )
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as AttachmentError] : []))
}

/** One that was begun before the delivery is waited for, once. */
async function takeEarly(
  run: DeliverableRun,
  attachment: DeliverableAttachment,
): Promise<string | undefined> {
  if (run.askedEarly.has(attachment.name)) return undefined
  run.askedEarly.add(attachment.name)
  return run.findEarly?.(attachment)
}

async function deliverAttachment(
  client: ServiceClient,
  attachment: DeliverableAttachment,
  hasWaited: boolean,
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

/**
 * Initialises an attachment and sends its bytes; answers its id. `onAddress` is called when the service has given the
 * address to send them to. @throws NetworkError, ApiError, AttachmentError
 */
export async function sendAttachment(
  client: ServiceClient,
  { name, source, sizeBytes, contentType }: DeliverableAttachment,
  onAddress?: () => void,
): Promise<string> {
  const body = 'bytes' in source ? source.bytes : { path: source.path, sizeBytes }
  const first = await client.initializeAttachment(name)
  onAddress?.()
  try {
    await client.putAttachment(first.upload_url, body, contentType)
    return first.id
  } catch (error) {
    if (!(error instanceof ApiError) || !EXPIRED.has(error.statusCode)) throw error
  }
  const second = await client.initializeAttachment(name)
  await client.putAttachment(second.upload_url, body, contentType)
  return second.id
}

/** Bytes that have waited on a disk must be what they were. */
async function checkBytes({ source, sizeBytes, sha256 }: DeliverableAttachment): Promise<void> {
  if (!('path' in source) || sha256 === undefined) return
  const found = await digestFile(source.path).catch((error: unknown) => {
    throw new AttachmentError(`the file cannot be read: ${describeError(error)}`, { cause: error })
  })
  if (found.sizeBytes !== sizeBytes || found.sha256 !== sha256)
    throw new AttachmentError('its bytes in the spool have changed, so they are not sent')
}
