import { deleteAttachmentsOf } from '../attachments/delete-attachments'
import { removeUnreferencedBlobs } from '../blobs/remove-blob'
import type { Context } from '../context'
import type { Query } from '../database/database'
import { unknownRun } from './get-run'
import { deleteRunRows, findRunKeys } from './run-delete-store'

/**
 * Deletes runs with their phases, measurements, logs and attachments, all of them or, when one is unknown, none (404).
 * Returns their ids, each once, in the order asked.
 */
export async function deleteRuns(context: Context, publicIds: readonly string[]): Promise<string[]> {
  const { ids, orphans } = await context.database.write(async ({ query }) => {
    const asked = new Map(publicIds.map((id) => [id.trim().toLowerCase(), id]))
    const keys = await findRunKeys(query, [...asked.keys()])
    for (const [id, asSent] of asked) if (!keys.has(id)) throw unknownRun(asSent)
    return { ids: [...asked.keys()], orphans: await deleteRunsByKey(query, [...keys.values()]) }
  })
  await removeUnreferencedBlobs(context, orphans)
  return ids
}

/**
 * Deletes runs by their keys within a transaction. Returns the digests of bytes that no attachment has any more: give
 * them to `removeUnreferencedBlobs` once that is committed.
 */
export async function deleteRunsByKey(query: Query, keys: readonly number[]): Promise<string[]> {
  const orphans = await deleteAttachmentsOf(query, 'run', keys)
  await deleteRunRows(query, keys)
  return orphans
}
