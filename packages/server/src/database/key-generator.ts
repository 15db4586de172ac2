const EPOCH_2025_MS = Date.UTC(2025, 0, 1)
const KEYS_PER_MS = 2048

/**
 * Makes primary keys: whole numbers below 2^53, strictly rising within the process. Returns the first of `count` keys in a
 * row, one by default.
 */
export type KeyGenerator = (count?: number) => number

/**
 * Milliseconds since 2025 × 2048 + random, strictly rising in a process, from no sequence; two processes that make
 * the same key meet at the primary key, and the transaction is tried again.
 */
export function createKeyGenerator(nowMs: () => number = Date.now): KeyGenerator {
  let last = 0
  return (count = 1) => {
    const fresh = firstKeyAt(nowMs()) + Math.floor(Math.random() * KEYS_PER_MS)
    const first = Math.max(fresh, last + 1)
    last = first + count - 1
    return first
  }
}

/** The lowest key that can be made at this time, in milliseconds since the Unix epoch; keys made before it are lower. */
export function firstKeyAt(epochMs: number): number {
  return (epochMs - EPOCH_2025_MS) * KEYS_PER_MS
}
