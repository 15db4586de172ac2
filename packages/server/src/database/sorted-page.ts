import { type Expression, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { HttpError } from '../errors'
import type { Query } from './database'
import { firstKeyAt } from './key-generator'
import { LastRows } from './last-rows'
import type { Schema } from './schema'

// No row has a lower key: such a cursor is of no page.
const LEAST_KEY = firstKeyAt(Date.UTC(2025, 1, 1))

/** What a list can be sorted by: columns with their tables, or expressions; never null. */
export type SortValues<SortBy extends string> = Readonly<Record<SortBy, string | RawBuilder<unknown>>>

/** A page of a list of records. */
export interface SortedPage<SortBy extends string> {
  /** The table of the records, whose key `id` tells those of the same value apart. */
  table: keyof Schema
  sortValues: SortValues<SortBy>
  /** What is true of every record in the list. */
  filters: readonly Expression<SqlBool>[]
  /** What was asked for; the cursor is the key of the record that the page before ended with. */
  list: { sort_by: SortBy; sort_order: 'asc' | 'desc'; limit: number; cursor?: number | undefined }
  /** The condition that finds the record with a key, undefined when there is none; by default the key alone. */
  findCondition?: (key: number) => Promise<Expression<SqlBool> | undefined>
}

/**
 * Rows in the order asked for, after the cursor, and one more than `limit` when there are more: what comes after a row
 * stays the same when others arrive or leave. @throws HttpError BAD_REQUEST for a cursor that nobody knows any more
 */
export async function selectPage<
  Tables,
  Names extends keyof Tables,
  Row extends { id: number },
  SortBy extends string,
>(query: Query, select: SelectQueryBuilder<Tables, Names, Row>, page: SortedPage<SortBy>): Promise<Row[]> {
  const { sort_order: order, limit } = page.list
  const { name, value, key } = sortOf(page)
  const after = await findAfter(query, select, page)
  const rows = await [...page.filters, ...after]
    .reduce((filtered, condition) => filtered.where(condition), select)
    .select(value.as('sort_value'))
    .orderBy(value, order)
    .orderBy(key, order)
    .limit(limit + 1)
    .$castTo<Row & { sort_value: unknown }>()
    .execute()
  const last = rows.length > limit ? rows[limit - 1] : undefined
  if (last) LastRows.of(query).note(name, last.id, last.sort_value)
  return rows
}

function sortOf<SortBy extends string>({ table, sortValues, list }: SortedPage<SortBy>) {
  const sortValue: string | RawBuilder<unknown> = sortValues[list.sort_by]
  const keyColumn = `${table}.id`
  return {
    /** The list and what it is sorted by: other rows for another one. */
    name: `${table} ${list.sort_by}`,
    value: typeof sortValue === 'string' ? sql.ref(sortValue) : sortValue,
    key: sql.ref(keyColumn),
    isByKey: sortValue === keyColumn,
  }
}

async function findAfter<Tables, Names extends keyof Tables, Row, SortBy extends string>(
  query: Query,
  select: SelectQueryBuilder<Tables, Names, Row>,
  page: SortedPage<SortBy>,
): Promise<Expression<SqlBool>[]> {
  const { sort_order: order, cursor } = page.list
  const { name, value, key } = sortOf(page)
  if (cursor === undefined) return []
  const last = LastRows.of(query).find(name, cursor) ?? (await findSortValue(select, page, cursor))
  if (last === undefined && cursor < LEAST_KEY) return [sql<SqlBool>`1 = 0`]
  if (last === undefined) throw unknownCursor(cursor)
  const comparison = sql.raw(order === 'asc' ? '>' : '<')
  return [sql<SqlBool>`(${value}, ${key}) ${comparison} (${last}, ${cursor})`]
}

async function findSortValue<Tables, Names extends keyof Tables, Row, SortBy extends string>(
  select: SelectQueryBuilder<Tables, Names, Row>,
  page: SortedPage<SortBy>,
  key: number,
): Promise<unknown> {
  const sort = sortOf(page)
  if (sort.isByKey) return key
  const condition = page.findCondition ? await page.findCondition(key) : sql<SqlBool>`${sort.key} = ${key}`
  if (condition === undefined) return undefined
  const row = await select
    .clearSelect()
    .select(sort.value.as('sort_value'))
    .where(condition)
    .$castTo<{ sort_value: unknown }>()
    .executeTakeFirst()
  return row?.sort_value
}

function unknownCursor(cursor: number): HttpError {
  const message = `is of no record, or of one that was deleted; received "${cursor}"`
  return new HttpError('BAD_REQUEST', `The cursor ${message}. Begin again without a cursor.`, {
    issues: [{ path: ['cursor'], message }],
  })
}
