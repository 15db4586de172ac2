import { dropBlobReference } from '../blobs/blob-count-store'
import type { Query } from '../database/database'
import { type AttachmentOwner, deleteAttachmentRows } from './attachment-delete-store'

/**
 * Deletes the attachments of runs or units, those that wait for their bytes too. Returns the digests of bytes that no
 * attachment has any more.
 */
export async function deleteAttachmentsOf(
  query: Query,
  owner: AttachmentOwner,
  keys: readonly number[],
): Promise<string[]> {
  return dropReferences(query, await deleteAttachmentRows(query, owner, keys))
}

/** Counts the bytes of deleted attachments down; returns the digests of those that are nobody's any more. */
export async function dropReferences(
  query: Query,
  deleted: readonly { sha256: string | null }[],
): Promise<string[]> {
  const orphans: string[] = []
  for (const { sha256 } of deleted) {
    if (sha256 !== null && (await dropBlobReference(query, sha256))) orphans.push(sha256)
  }
  return orphans
}
