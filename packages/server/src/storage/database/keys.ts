import { sql } from 'kysely'
import type { Query } from './database'

const EPOCH_2025_MS = Date.UTC(2025, 0, 1)
const KEYS_PER_MS = 2048

/** Whole numbers below 2^53, rising within the process. Returns the first of `count` consecutive keys. */
export type KeyGenerator = (count?: number) => number

/**
 * A key is milliseconds since 2025 × 2048 + random. When two processes make the same key, the primary key clashes and the
 * transaction is repeated. Keys are above `above` (`findHighestKey`), even if the clock was set back.
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

/** 0 when the database is empty. Records of a run have higher keys than those of runs before it. */
export async function findHighestKey(query: Query): Promise<number> {
  const tables = await query.engine.selectTablesWithKeys.execute(query)
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

/** In milliseconds since the Unix epoch; earlier keys are lower. */
export function firstKeyAt(epochMs: number): number {
  return (epochMs - EPOCH_2025_MS) * KEYS_PER_MS
}

/** Part of the UUID. */
const DERIVED_KIND = { phase: 1, measurement: 2, log: 3, aggregation: 4, test: 5 } as const
export type DerivedKind = keyof typeof DERIVED_KIND

/** The record's own key is higher than its run's. */
export interface RecordKeys {
  run_id: number
  id: number
}

/**
 * A version 8 UUID with the key of the run and the distance to the record's own: so 200 steps need not store 200 UUIDs. `ordinal`
 * distinguishes records that share a key.
 */
export function deriveUuid(kind: DerivedKind, { run_id: runId, id }: RecordKeys, ordinal = 0): string {
  const head = `${DERIVED_KIND[kind].toString(16)}${toHex(runId, 14)}`
  const tail = `${toHex(id - runId, 10)}${toHex(ordinal, 5)}`
  return `${head.slice(0, 8)}-${head.slice(8, 12)}-8${head.slice(12)}-8${tail.slice(0, 3)}-${tail.slice(3)}`
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** Undefined for other UUIDs and other kinds. */
export function parseDerivedUuid(kind: DerivedKind, uuid: string): RecordKeys | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{7})0{5}$/i.exec(uuid)
  if (!match) return undefined
  const [, first = '', second = '', third = '', fourth = '', fifth = ''] = match
  const runId = Number.parseInt(`${first.slice(1)}${second}${third}`, 16)
  const id = runId + Number.parseInt(`${fourth}${fifth}`, 16)
  const isOfKind = Number.parseInt(first.charAt(0), 16) === DERIVED_KIND[kind]
  return isOfKind && Number.isSafeInteger(id) ? { run_id: runId, id } : undefined
}
