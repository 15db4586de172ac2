import type { Context } from '../context'
import type { Query } from '../database/database'
import { HttpError } from '../errors'
import type { Principal } from '../keys/principal'
import { findOwnRun } from '../runs/find-own-run'
import { findAttachment, updateAttachment } from './attachment-store'
import { unknownAttachment } from './receive-attachment'

/**
 * Links attachments to a run: all of them or none. Ids are added, never removed; the same again changes nothing
 * (contract decisions, Update Run). 404 for what is unknown, 400 before the bytes came, 409 for another run's.
 */
export async function linkAttachments(
  { database }: Context,
  principal: Principal,
  { runId, attachmentIds }: { runId: string; attachmentIds: readonly string[] },
): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const run = await findOwnRun(query, principal, runId)
    for (const id of attachmentIds) await linkAttachment(query, { run_id: run.id }, id)
    return { id: run.public_id }
  })
}

/** The run or the unit that an attachment is linked to, by its key. */
type LinkTarget = { run_id: number } | { unit_id: number }

/** Links one attachment to a run or a unit, never to two. */
export async function linkAttachment(query: Query, target: LinkTarget, publicId: string): Promise<void> {
  const attachment = await findAttachment(query, publicId)
  if (!attachment) throw unknownAttachment(publicId)
  const wanted = { run_id: null, unit_id: null, ...target }
  if (attachment.run_id === wanted.run_id && attachment.unit_id === wanted.unit_id) return
  if (attachment.run_id !== null || attachment.unit_id !== null) {
    throw new HttpError(
      'CONFLICT',
      `Attachment ${publicId} is linked to another ${attachment.run_id === null ? 'unit' : 'run'}. Upload the file again for this one.`,
    )
  }
  if (attachment.sha256 === null) {
    throw new HttpError(
      'BAD_REQUEST',
      `The bytes of attachment ${publicId} were not received yet. PUT them to its upload address first.`,
    )
  }
  await updateAttachment(query, attachment.id, target)
}
