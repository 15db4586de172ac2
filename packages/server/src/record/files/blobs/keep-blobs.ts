import { CommitUnknownError, type Query } from '../../../storage/database/database'
import type { StagedBlob } from '../../../storage/blobs/blob-store'
import {
  addBlobReference,
  type BlobParts,
  BlobGoneError,
  type KeptBlob,
  listKnownBlobs,
  removeUnnamedBlobs,
} from './store'

/** Runs in the transaction that records the attachment. */
export type CountBlob = (query: Query, blob: StagedBlob) => Promise<void>

/**
 * `record` is one transaction that calls `count` for each of its attachments. Kept bytes without a row afterwards are removed.
 * Equal bytes that arrive at once are all kept at first; one copy stays.
 */
export async function keepBlobs<Result>(
  parts: BlobParts,
  staged: readonly StagedBlob[],
  record: (count: CountBlob) => Promise<Result>,
): Promise<Result> {
  const kept = new Map<string, KeptBlob>()
  const count: CountBlob = (query, blob) => addBlobReference(query, blob, kept.get(blob.sha256))
  const removeUnused = () =>
    removeUnnamedBlobs(
      parts,
      [...kept.values()].map(({ name }) => name),
    )
  const recordKept = async (): Promise<Result> => {
    await keepUnknown(parts, staged, kept)
    return record(count).catch((error: unknown) => {
      // The last attachment with these bytes was deleted after the check.
      if (error instanceof BlobGoneError) return recordKept()
      throw error
    })
  }
  try {
    const result = await recordKept()
    await removeUnused()
    return result
  } catch (error) {
    // If the transaction was committed after all, it needs its bytes; if not, a clean-up removes them.
    if (!(error instanceof CommitUnknownError)) await removeUnused()
    throw error
  }
}

/** Bytes that are not on record, or lost or cut short. Adds them to `kept` by digest. */
async function keepUnknown(
  { blobs, database }: BlobParts,
  staged: readonly StagedBlob[],
  kept: Map<string, KeptBlob>,
): Promise<void> {
  if (staged.length === 0) return
  const digests = staged.map(({ sha256 }) => sha256)
  const known = await listKnownBlobs(database.query, digests)
  for (const blob of staged) {
    const name = known.get(blob.sha256)
    if (kept.has(blob.sha256)) continue
    if (name !== undefined && (await blobs.findSize(name)) === blob.sizeBytes) continue
    kept.set(blob.sha256, { name: await blob.keep(), inPlaceOf: name })
  }
}
