import type { Query } from '../database/database'
import type { AttachmentsTable } from '../database/schema/attachments'
import type { AttachmentOwner } from './attachment-delete-store'
import { isNoImage } from './image-store'

export async function insertAttachment(query: Query, attachment: AttachmentsTable): Promise<void> {
  await query.insertInto('attachments').values(attachment).execute()
}

export async function findAttachment(query: Query, publicId: string): Promise<AttachmentsTable | undefined> {
  return query
    .selectFrom('attachments')
    .selectAll()
    .where('public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}

/** An attachment with the size of its bytes; undefined when there is none or its bytes were never received. */
export async function findReceivedAttachment(query: Query, publicId: string) {
  return query
    .selectFrom('attachments')
    .innerJoin('blobs', 'blobs.sha256', 'attachments.sha256')
    .select(['attachments.public_id', 'attachments.name', 'attachments.content_type'])
    .select(['blobs.sha256', 'blobs.size_bytes'])
    .where('attachments.public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}

/** Attachments of a run or a unit in the order of their initialisation. */
export async function listLinkedAttachments(query: Query, owner: AttachmentOwner, ownerId: number) {
  return query
    .selectFrom('attachments')
    .leftJoin('blobs', 'blobs.sha256', 'attachments.sha256')
    .select(['attachments.public_id', 'attachments.name', 'attachments.content_type', 'blobs.size_bytes'])
    .where(owner === 'run' ? 'attachments.run_id' : 'attachments.unit_id', '=', ownerId)
    .orderBy('attachments.id')
    .execute()
}

export type LinkedAttachmentRow = Awaited<ReturnType<typeof listLinkedAttachments>>[number]

export async function updateAttachment(
  query: Query,
  id: number,
  change: Partial<
    Pick<AttachmentsTable, 'content_type' | 'sha256' | 'run_id' | 'unit_id' | 'received_at_us'>
  >,
): Promise<void> {
  await query.updateTable('attachments').set(change).where('id', '=', id).execute()
}

/** Attachments that were made before this time and belong to nothing, at most `limit`. */
export async function listUnlinkedAttachments(
  query: Query,
  beforeUs: number,
  limit: number,
): Promise<AttachmentsTable[]> {
  return query
    .selectFrom('attachments')
    .selectAll()
    .where('run_id', 'is', null)
    .where('unit_id', 'is', null)
    .where(isNoImage)
    .where('created_at_us', '<', beforeUs)
    .limit(limit)
    .execute()
}

/** Deletes an attachment unless it was linked in the meantime; returns what it deleted. */
export async function deleteUnlinkedAttachment(
  query: Query,
  id: number,
): Promise<AttachmentsTable | undefined> {
  return query
    .deleteFrom('attachments')
    .where('id', '=', id)
    .where('run_id', 'is', null)
    .where('unit_id', 'is', null)
    .where(isNoImage)
    .returningAll()
    .executeTakeFirst()
}
