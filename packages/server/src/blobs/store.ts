import { sql } from 'kysely'
import type { Query } from '../database/database'
import { groupBy, inChunks } from '../database/rows'

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

export async function isBlobReferenced(query: Query, sha256: string): Promise<boolean> {
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
