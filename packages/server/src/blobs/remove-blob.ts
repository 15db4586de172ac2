import type { Context } from '../context'
import { isBlobReferenced } from './blob-count-store'

/** Removes bytes whose last reference is gone, unless an upload of the same bytes came in between. */
export async function removeUnreferencedBlob(
  { blobs, database }: Pick<Context, 'blobs' | 'database'>,
  sha256: string,
): Promise<void> {
  await blobs.withLock(sha256, async () => {
    if (!(await isBlobReferenced(database.query, sha256))) await blobs.remove(sha256)
  })
}

/**
 * The same for the bytes of what was deleted. That is committed already, so a file that cannot be removed is logged,
 * and goes when the service starts the next time.
 */
export async function removeUnreferencedBlobs(
  context: Pick<Context, 'blobs' | 'database' | 'log'>,
  digests: readonly string[],
): Promise<void> {
  for (const sha256 of digests) {
    await removeUnreferencedBlob(context, sha256).catch((error: unknown) =>
      context.log.error(`The bytes ${sha256} could not be removed`, error),
    )
  }
}
