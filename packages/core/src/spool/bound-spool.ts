import type { FolderSpool, ListedEntry } from './folder-spool'

/** What a spool may hold. */
export interface SpoolBounds {
  maxAgeMs: number
  maxBytes: number
}

/** Thirty days, and two gigabytes. */
export const SPOOL_BOUNDS: SpoolBounds = { maxAgeMs: 30 * 24 * 60 * 60 * 1000, maxBytes: 2 * 1024 ** 3 }

/** An entry that was dropped, and why. */
export interface DroppedEntry extends ListedEntry {
  reason: 'age' | 'size'
}

/**
 * Drops what is too old, then the oldest until the rest fits; entries that an execution has are never dropped, so an
 * execution's own are safe. What was set aside counts too.
 */
export async function boundSpool(
  spool: FolderSpool,
  bounds: SpoolBounds,
  signal?: AbortSignal,
): Promise<DroppedEntry[]> {
  const entries = [...(await spool.listSetAside()), ...(await spool.list(signal))].sort(
    (a, b) => a.writtenAtMs - b.writtenAtMs,
  )
  const dropped: DroppedEntry[] = []
  let totalBytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  for (const entry of entries) {
    const reason = findReason(entry, totalBytes, bounds)
    if (reason === undefined || (await spool.isClaimed(entry.submissionId).catch(() => false))) continue
    await spool.drop(entry.dir)
    totalBytes -= entry.sizeBytes
    dropped.push({ ...entry, reason })
  }
  return dropped
}

function findReason(
  { writtenAtMs }: ListedEntry,
  totalBytes: number,
  { maxAgeMs, maxBytes }: SpoolBounds,
): DroppedEntry['reason'] | undefined {
  if (Date.now() - writtenAtMs > maxAgeMs) return 'age'
  return totalBytes > maxBytes ? 'size' : undefined
}
