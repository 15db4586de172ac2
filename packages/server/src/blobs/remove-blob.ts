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
