import { sql } from 'kysely'
import { CommitUnknownError, type Database, type Query } from '../database/database'
import { groupBy, inChunks } from '../database/rows'
import type { Log } from '../log'
import type { BlobStore } from './blob-store'

/** Counts one more attachment with these bytes. */
export async function addBlobReference(query: Query, sha256: string, sizeBytes: number): Promise<void> {
  await query
    .insertInto('blobs')
    .values({ sha256, size_bytes: sizeBytes, reference_count: 1 })
    .onConflict((conflict) =>
      conflict.column('sha256').doUpdateSet({ reference_count: sql`blobs.reference_count + 1` }),
    )
    .execute()
}

/** Counts one less; true when it was the last, and the bytes may go once that is committed. */
export async function dropBlobReference(query: Query, sha256: string): Promise<boolean> {
  const blob = await query
    .updateTable('blobs')
    .set({ reference_count: sql`reference_count - 1` })
    .where('sha256', '=', sha256)
    .returning('reference_count')
    .executeTakeFirst()
  if (!blob || blob.reference_count > 0) return false
  await query.deleteFrom('blobs').where('sha256', '=', sha256).execute()
  return true
}

/** Counts one less for each of these; returns those that were the last. The bytes may go once that is committed. */
export async function dropBlobReferences(query: Query, digests: readonly string[]): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const sha256 of digests) counts.set(sha256, (counts.get(sha256) ?? 0) + 1)
  const orphans: string[] = []
  for (const [count, equals] of groupBy([...counts.keys()], (sha256) => counts.get(sha256) ?? 0)) {
    for (const chunk of inChunks(equals)) {
      await query
        .updateTable('blobs')
        .set({ reference_count: sql`reference_count - ${count}` })
        .where('sha256', 'in', chunk)
        .execute()
      const gone = query.deleteFrom('blobs').where('sha256', 'in', chunk).where('reference_count', '<=', 0)
      orphans.push(...(await gone.returning('sha256').execute()).map(({ sha256 }) => sha256))
    }
  }
  return orphans
}

async function isBlobReferenced(query: Query, sha256: string): Promise<boolean> {
  const blob = await query
    .selectFrom('blobs')
    .select('sha256')
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return blob !== undefined
}

/** Those of these digests that attachments have. */
export async function listKnownBlobs(query: Query, digests: readonly string[]): Promise<Set<string>> {
  const blobs = await query.selectFrom('blobs').select('sha256').where('sha256', 'in', digests).execute()
  return new Set(blobs.map(({ sha256 }) => sha256))
}

/** Bytes of all that attachments have, equal bytes counted once. */
export async function sumBlobBytes(query: Query): Promise<number> {
  const { bytes } = await query
    .selectFrom('blobs')
    .select((select) => select.fn.sum<number | null>('size_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

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
  const removal = database.withLocks([sha256], async () => {
    if (!(await isBlobReferenced(database.query, sha256))) await blobs.remove(sha256)
  })
  await removal.catch(ignoreLostLocks)
}

/** Of a removal nothing is to be taken back. */
function ignoreLostLocks(error: unknown): void {
  if (!(error instanceof CommitUnknownError)) throw error
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
  for (let from = 0; from < digests.length; from += REMOVED_AT_ONCE) {
    const some = digests.slice(from, from + REMOVED_AT_ONCE)
    const removal = database.withLocks(some, async () => {
      const known = await listKnownBlobs(database.query, some)
      const unknown = some.filter((sha256) => !known.has(sha256))
      await Promise.all(unknown.map((sha256) => blobs.remove(sha256).catch(logFailure)))
    })
    await removal.catch(ignoreLostLocks).catch(logFailure)
  }
}
