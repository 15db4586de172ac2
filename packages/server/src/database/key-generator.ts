import { sql } from 'kysely'
import type { Query } from './database'

const EPOCH_2025_MS = Date.UTC(2025, 0, 1)
const KEYS_PER_MS = 2048

/**
 * Makes primary keys: whole numbers below 2^53, strictly rising within the process. Returns the first of `count` keys in a
 * row, one by default.
 */
export type KeyGenerator = (count?: number) => number

/**
 * Milliseconds since 2025 × 2048 + random, strictly rising in a process, from no sequence; two processes that make
 * the same key meet at the primary key, and the transaction is tried again. All are higher than `above`, the highest of
 * those made before (`findHighestKey`), also when the clock was set back.
 */
export function createKeyGenerator(above: number, nowMs: () => number = Date.now): KeyGenerator {
  let last = above
  return (count = 1) => {
    const fresh = firstKeyAt(nowMs()) + Math.floor(Math.random() * KEYS_PER_MS)
    const first = Math.max(fresh, last + 1)
    last = first + count - 1
    return first
  }
}

/** The highest key in the database, 0 when it is empty. Records of a run have higher keys than those of runs before it. */
export async function findHighestKey(query: Query): Promise<number> {
  const tables = await sql<{ name: string; first: string }>`SELECT tables.name, columns.name AS first
    FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.schema = 'main' AND tables.type = 'table' AND columns.pk = 1 AND columns.name IN ('id', 'run_id')
    AND EXISTS (SELECT 1 FROM pragma_table_info(tables.name) WHERE name = 'id')`.execute(query)
  const highest: number[] = []
  for (const { name, first } of tables.rows) {
    const table = sql.table(name)
    const newest = first === 'id' ? sql`1 = 1` : sql`run_id = (SELECT max(run_id) FROM ${table})`
    const found = await sql<{
      id: number | null
    }>`SELECT max(id) AS id FROM ${table} WHERE ${newest}`.execute(query)
    highest.push(found.rows[0]?.id ?? 0)
  }
  return Math.max(0, ...highest)
}

/** The lowest key that can be made at this time, in milliseconds since the Unix epoch; keys made before it are lower. */
export function firstKeyAt(epochMs: number): number {
  return (epochMs - EPOCH_2025_MS) * KEYS_PER_MS
}
