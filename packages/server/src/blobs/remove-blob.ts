import type { Database } from '../database/database'
import type { Log } from '../log'
import type { BlobStore } from './blob-store'
import { isBlobReferenced, listKnownBlobs } from './store'

/** What the removal of bytes works with, of the context. */
export interface BlobParts {
  blobs: BlobStore
  database: Database
  log: Log
}

/** Removes bytes whose last reference is gone, unless an upload of the same bytes came in between. */
export async function removeUnreferencedBlob(
  { blobs, database }: Omit<BlobParts, 'log'>,
  sha256: string,
): Promise<void> {
  await blobs.withLock(sha256, async () => {
    if (!(await isBlobReferenced(database.query, sha256))) await blobs.remove(sha256)
  })
}

/** In the order of the digests, so that two who need the same never wait for each other. */
export async function withBlobLocks<Result>(
  blobs: BlobStore,
  [sha256, ...rest]: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (sha256 === undefined) return work()
  return blobs.withLock(sha256, () => withBlobLocks(blobs, rest, work))
}

const REMOVED_AT_ONCE = 50

/**
 * The same for the bytes of what was deleted. That is committed already, so a file that cannot be removed is logged,
 * and goes when the service starts the next time.
 */
export async function removeUnreferencedBlobs(
  { blobs, database, log }: BlobParts,
  digests: readonly string[],
): Promise<void> {
  const logFailure = (error: unknown) => log.error('Bytes that were deleted could not be removed', error)
  const sorted = digests.toSorted()
  for (let from = 0; from < sorted.length; from += REMOVED_AT_ONCE) {
    const some = sorted.slice(from, from + REMOVED_AT_ONCE)
    const removal = withBlobLocks(blobs, some, async () => {
      const known = await listKnownBlobs(database.query, some)
      const unknown = some.filter((sha256) => !known.has(sha256))
      await Promise.all(unknown.map((sha256) => blobs.remove(sha256).catch(logFailure)))
    })
    await removal.catch(logFailure)
  }
}
