import type { SqlValue, Transaction } from './database'

export interface RowBatch {
  table: string
  columns: readonly string[]
  rows: readonly (readonly SqlValue[])[]
  /** Appended to each statement, such as `ON CONFLICT DO NOTHING`. */
  suffix?: string
}

// Few sizes make few texts, so that each is prepared once (stack.md, finding 5).
const BATCH_SIZES = [128, 32, 8, 1]

/** Inserts rows with multi-row VALUES, in texts that repeat from call to call. */
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
