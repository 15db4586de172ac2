import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'

export interface Sorting {
  /** What the list is sorted by, never null. */
  value: RawBuilder<unknown>
  /** The key that tells rows of the same value apart. */
  key: RawBuilder<unknown>
  order: 'asc' | 'desc'
}

/** The row that a page ended with. */
export interface LastRow {
  value: unknown
  key: number
}

/** Condition on the rows after the last one shown: what comes after it stays the same when new rows arrive. */
export function isAfterRow({ value, key, order }: Sorting, last: LastRow): Expression<SqlBool> {
  const comparison = sql.raw(order === 'asc' ? '>' : '<')
  return sql<SqlBool>`(${value}, ${key}) ${comparison} (${last.value}, ${last.key})`
}
