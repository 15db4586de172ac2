import { dropBlobReference } from '../blobs/blob-count-store'
import { removeUnreferencedBlob } from '../blobs/remove-blob'
import { US_PER_SECOND } from '../clock'
import type { Context } from '../context'
import type { Query } from '../database/database'
import { deleteUnlinkedAttachment, listUnlinkedAttachments } from './store'

const BATCH_SIZE = 200

/** Deletes attachments that nothing was linked to in time, with their bytes; returns how many. */
export async function sweepAttachments(context: Context, signal: AbortSignal): Promise<number> {
  const beforeUs = context.clock() - context.config.unlinkedLifeHours * 3600 * US_PER_SECOND
  let swept = 0
  for (;;) {
    const unlinked = await listUnlinkedAttachments(context.database.query, beforeUs, BATCH_SIZE)
    for (const { id } of unlinked) {
      if (signal.aborted) return swept
      await deleteWithBytes(context, id)
      swept += 1
    }
    if (unlinked.length < BATCH_SIZE) return swept
  }
}

async function deleteWithBytes(context: Context, id: number): Promise<void> {
  const orphan = await context.database.write(({ query }) => deleteAttachment(query, id))
  if (orphan !== undefined) await removeUnreferencedBlob(context, orphan)
}

async function deleteAttachment(query: Query, id: number): Promise<string | undefined> {
  const deleted = await deleteUnlinkedAttachment(query, id)
  if (!deleted || deleted.sha256 === null) return undefined
  return (await dropBlobReference(query, deleted.sha256)) ? deleted.sha256 : undefined
}
