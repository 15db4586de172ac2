import { type Expression, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { HttpError } from '../errors'
import type { Query } from './database'
import { firstKeyAt } from './key-generator'
import { LastRows } from './last-rows'

// No row has a lower key: such a cursor is of no page.
const LEAST_KEY = firstKeyAt(Date.UTC(2025, 1, 1))

/** A page of a list, and what the list is sorted by. */
export interface SortedPage {
  /** The list and the name of what it is sorted by: other rows for another one. */
  name: string
  /** What the list is sorted by, never null. */
  value: RawBuilder<unknown>
  /** The key that tells rows of the same value apart. */
  key: RawBuilder<unknown>
  order: 'asc' | 'desc'
  limit: number
  /** Key of the row that the page before ended with. */
  cursor: number | undefined
  /** The value of the row with this key; undefined when there is none. */
  findValue: (key: number) => Promise<unknown>
}

/**
 * Rows in the order asked for, after the cursor, and one more than `limit` when there are more: what comes after a row
 * stays the same when others arrive or leave. @throws HttpError BAD_REQUEST for a cursor that nobody knows any more
 */
export async function selectPage<Tables, Names extends keyof Tables, Row extends { id: number }>(
  query: Query,
  select: SelectQueryBuilder<Tables, Names, Row>,
  page: SortedPage,
): Promise<Row[]> {
  const { value, key, order, limit } = page
  const after = await findAfter(query, page)
  const rows = await (after ? select.where(after) : select)
    .select(value.as('sort_value'))
    .orderBy(value, order)
    .orderBy(key, order)
    .limit(limit + 1)
    .$castTo<Row & { sort_value: unknown }>()
    .execute()
  const last = rows.length > limit ? rows[limit - 1] : undefined
  if (last) LastRows.of(query).note(page.name, last.id, last.sort_value)
  return rows
}

async function findAfter(query: Query, page: SortedPage): Promise<Expression<SqlBool> | undefined> {
  const { value, key, cursor } = page
  if (cursor === undefined) return undefined
  const last = LastRows.of(query).find(page.name, cursor) ?? (await page.findValue(cursor))
  if (last === undefined && cursor < LEAST_KEY) return sql<SqlBool>`1 = 0`
  if (last === undefined) throw unknownCursor(cursor)
  const comparison = sql.raw(page.order === 'asc' ? '>' : '<')
  return sql<SqlBool>`(${value}, ${key}) ${comparison} (${last}, ${cursor})`
}

function unknownCursor(cursor: number): HttpError {
  const message = `is of no record, or of one that was deleted; received "${cursor}"`
  return new HttpError('BAD_REQUEST', `The cursor ${message}. Begin again without a cursor.`, {
    issues: [{ path: ['cursor'], message }],
  })
}
