import { sql } from 'kysely'
import type { Database, Query } from '../../../storage/database/database'
import { groupBy, inChunks } from '../../../storage/database/rows'
import type { Log } from '../../../base/log'
import type { BlobStore, StagedBlob } from '../../../storage/blobs/blob-store'

export class BlobGoneError extends Error {
  override name = 'BlobGoneError'
}

export interface KeptBlob {
  name: string
  /** The name on record, if the store has lost those bytes. */
  inPlaceOf: string | undefined
}

/** Uses the name on record, or that in `kept` for new or lost bytes. @throws BlobGoneError without either */
export async function addBlobReference(
  query: Query,
  { sha256, sizeBytes }: StagedBlob,
  kept: KeptBlob | undefined,
): Promise<void> {
  const reference_count = sql<number>`blobs.reference_count + 1`
  if (kept === undefined) {
    const known = query.updateTable('blobs').set({ reference_count }).where('sha256', '=', sha256)
    if (await known.returning('sha256').executeTakeFirst()) return
    throw new BlobGoneError(`bytes ${sha256} are not on record any more`)
  }
  const object_name = sql<string>`CASE WHEN blobs.object_name = ${kept.inPlaceOf ?? ''}
    THEN excluded.object_name ELSE blobs.object_name END`
  await query
    .insertInto('blobs')
    .values({ sha256, object_name: kept.name, size_bytes: sizeBytes, reference_count: 1 })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ reference_count, object_name }))
    .execute()
}

/** Returns the bytes' name if this was the last reference. Remove them after the commit. */
export async function dropBlobReference(query: Query, sha256: string): Promise<string | undefined> {
  return (await dropBlobReferences(query, [sha256]))[0]
}

/** Returns the names of bytes without references. Remove them after the commit. */
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
      orphans.push(...(await gone.returning('object_name').execute()).map(({ object_name }) => object_name))
    }
  }
  return orphans
}

export async function listKnownBlobs(query: Query, digests: readonly string[]): Promise<Map<string, string>> {
  const blobs = await query
    .selectFrom('blobs')
    .select(['sha256', 'object_name'])
    .where('sha256', 'in', digests)
    .execute()
  return new Map(blobs.map(({ sha256, object_name }) => [sha256, object_name]))
}

/** Equal bytes count once. */
export async function sumBlobBytes(query: Query): Promise<number> {
  const { bytes } = await query
    .selectFrom('blobs')
    .select((select) => select.fn.sum<number | null>('size_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

export interface BlobParts {
  blobs: BlobStore
  database: Database
  log: Log
}

const REMOVED_AT_ONCE = 50

/** Call it after the commit: no row will name the bytes again. Failures are logged, and a clean-up removes the rest. */
export async function removeBlobs(
  { blobs, log }: Pick<BlobParts, 'blobs' | 'log'>,
  names: readonly string[],
): Promise<void> {
  const logFailure = (error: unknown) => log.error('Bytes that were deleted could not be removed', error)
  for (let from = 0; from < names.length; from += REMOVED_AT_ONCE) {
    const some = names.slice(from, from + REMOVED_AT_ONCE)
    await Promise.all(some.map((name) => blobs.remove(name).catch(logFailure)))
  }
}

/** No row names them or will. */
export async function removeUnnamedBlobs(parts: BlobParts, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  try {
    const rows = await parts.database.query
      .selectFrom('blobs')
      .select('object_name')
      .where('object_name', 'in', names)
      .execute()
    const named = new Set(rows.map(({ object_name }) => object_name))
    await removeBlobs(
      parts,
      names.filter((name) => !named.has(name)),
    )
  } catch (error) {
    parts.log.error('Bytes that no record names could not be removed', error)
  }
}
