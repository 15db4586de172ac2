import type { Context } from '../context'
import type { Query } from '../database/database'
import { HttpError } from '../errors'
import { unknownRun } from '../runs/get-run'
import { findRunKey } from '../runs/run-detail-store'
import { findAttachment, updateAttachment } from './attachment-store'
import { unknownAttachment } from './receive-attachment'

/**
 * Links attachments to a run: all of them or none. Ids are added, never removed; the same again changes nothing
 * (contract decisions, Update Run). 404 for what is unknown, 400 before the bytes came, 409 for another run's.
 */
export async function linkAttachments(
  { database }: Context,
  runPublicId: string,
  attachmentIds: readonly string[],
): Promise<{ id: string }> {
  await database.write(async ({ query }) => {
    const runId = await findRunKey(query, runPublicId)
    if (runId === undefined) throw unknownRun(runPublicId)
    for (const id of attachmentIds) await linkAttachment(query, runId, id)
  })
  return { id: runPublicId }
}

async function linkAttachment(query: Query, runId: number, publicId: string): Promise<void> {
  const attachment = await findAttachment(query, publicId)
  if (!attachment) throw unknownAttachment(publicId)
  if (attachment.run_id === runId) return
  if (attachment.run_id !== null) {
    throw new HttpError(
      'CONFLICT',
      `Attachment ${publicId} is linked to another run. Upload the file again for this one.`,
    )
  }
  if (attachment.sha256 === null) {
    throw new HttpError(
      'BAD_REQUEST',
      `The bytes of attachment ${publicId} were not received yet. PUT them to its upload address first.`,
    )
  }
  await updateAttachment(query, attachment.id, { run_id: runId })
}
