import type { Context } from '../context'
import { listKnownBlobs } from './blob-count-store'
import { removeUnreferencedBlob } from './remove-blob'

/** Removes bytes that no attachment has: a process that was killed between storing and recording left them. */
export async function sweepBlobs(context: Context, signal: AbortSignal): Promise<void> {
  for await (const stored of context.blobs.list()) {
    if (signal.aborted) return
    const known = await listKnownBlobs(context.database.query, stored)
    for (const sha256 of stored) if (!known.has(sha256)) await removeUnreferencedBlob(context, sha256)
  }
}
