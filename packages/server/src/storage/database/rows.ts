import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Query, SqlValue, Transaction } from './database'

export interface RowBatch {
  table: string
  columns: readonly string[]
  rows: readonly (readonly SqlValue[])[]
  /** Such as `ON CONFLICT DO NOTHING`. */
  suffix?: string
}

// Few sizes make few texts, each of which is prepared once.
const BATCH_SIZES = [128, 64, 32, 16, 8, 4, 2, 1]

export async function insertRows(transaction: Transaction, batch: RowBatch): Promise<void> {
  let from = 0
  for (const size of BATCH_SIZES) {
    while (batch.rows.length - from >= size) {
      await transaction.run(insertText(batch, size), batch.rows.slice(from, from + size).flat())
      from += size
    }
  }
}

const texts = new Map<string, string>()

function insertText({ table, columns, suffix = '' }: RowBatch, size: number): string {
  const cacheKey = `${table} ${columns.join()} ${size} ${suffix}`
  const known = texts.get(cacheKey)
  if (known) return known
  const row = `(${columns.map(() => '?').join(', ')})`
  const rows = Array.from({ length: size }, () => row).join(', ')
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows} ${suffix}`
  texts.set(cacheKey, text)
  return text
}

/** Limits related records, so that responses do not grow with the data. */
export const MOST_SHOWN = 1000
export const MOST_SHOWN_IN_LISTS = 100

// Well below the most values that a statement may have.
const CHUNK_SIZE = 500

export function* inChunks<Item>(items: readonly Item[]): Iterable<Item[]> {
  for (let from = 0; from < items.length; from += CHUNK_SIZE) yield items.slice(from, from + CHUNK_SIZE)
}

export function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

interface FirstRecords {
  key: RawBuilder<unknown>
  ownerKeys: readonly number[]
  /** Selects keys of records as `key`. */
  selectFirst: (ownerKey: RawBuilder<number>) => RawBuilder<unknown>
}

/** Holds for the first records of each owner; `selectFirst` selects them by the owner's key, and no more are read. */
export function isFirstOfEach(
  { engine }: Query,
  { key, ownerKeys, selectFirst }: FirstRecords,
): Expression<SqlBool> {
  return sql<SqlBool>`${key} IN (SELECT firsts.value FROM ${engine.firstsOfEach(ownerKeys, selectFirst)})`
}

export function isInList(
  { engine }: Query,
  column: string,
  list: readonly (number | string)[],
): Expression<SqlBool> {
  return engine.isIn(sql.ref(column), list)
}
