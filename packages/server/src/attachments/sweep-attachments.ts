import { removeUnreferencedBlobs } from '../blobs/remove-blob'
import { US_PER_SECOND } from '../clock'
import type { Context } from '../context'
import { deleteUnlinkedAttachments, dropReferences } from './store'

// Each a transaction: others who write wait for it.
const BATCH_SIZE = 100

/** Deletes attachments that nothing was linked to in time, with their bytes, some at a time; returns how many. */
export async function sweepAttachments(context: Context, signal: AbortSignal): Promise<number> {
  const beforeUs = context.clock() - context.config.unlinkedLifeHours * 3600 * US_PER_SECOND
  let swept = 0
  for (let count = BATCH_SIZE; count === BATCH_SIZE && !signal.aborted; swept += count) {
    const { deleted, orphans } = await context.database.write(async ({ query }) => {
      const rows = await deleteUnlinkedAttachments(query, beforeUs, BATCH_SIZE)
      return { deleted: rows.length, orphans: await dropReferences(query, rows) }
    })
    await removeUnreferencedBlobs(context, orphans)
    count = deleted
  }
  return swept
}
