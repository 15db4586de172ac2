import type { Page } from '@runledger/protocol'
import { type Expression, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { HttpError } from '../../base/errors'
import type { Query } from './database'
import { firstKeyAt } from './keys'
import type { Schema } from './schema/index'

// No row has a lower key, so no page has this cursor.
const LEAST_KEY = firstKeyAt(Date.UTC(2025, 1, 1))

type SortValue = string | RawBuilder<unknown>

/** Columns with their tables, or expressions; never null. Each further one sorts records that are equal in those before. */
export type SortValues<SortBy extends string> = Readonly<Record<SortBy, SortValue | readonly SortValue[]>>

export interface SortedPage<SortBy extends string> {
  /** The key `id` tells records with equal values apart. */
  table: keyof Schema
  sortValues: SortValues<SortBy>
  /** True for every record in the list. */
  filters: readonly Expression<SqlBool>[]
  /** The cursor is the key of the last record of the page before. */
  list: { sort_by: SortBy; sort_order: 'asc' | 'desc'; limit: number; cursor?: number | undefined }
  /** Finds the record with a key; undefined when there is none. By default the key alone. */
  findCondition?: (key: number) => Promise<Expression<SqlBool> | undefined>
  /** Whether the page's keys are found before the rest of its rows: for rows that cost much. */
  areKeysFirst?: boolean
}

/**
 * Rows after the cursor, and one more than `limit` if there are more. New and deleted rows do not change which rows follow the
 * cursor. @throws HttpError BAD_REQUEST for an unknown cursor
 */
export async function selectPage<
  Tables,
  Names extends keyof Tables,
  Row extends { id: number },
  SortBy extends string,
>(query: Query, select: SelectQueryBuilder<Tables, Names, Row>, page: SortedPage<SortBy>): Promise<Row[]> {
  const { sort_order: order, limit } = page.list
  const { name, values, key, orderedBy } = sortOf(page)
  const after = await findAfter(query, select, page)
  const filtered = [...page.filters, ...after].reduce((all, condition) => all.where(condition), select)
  const cut = <Cut>(rows: SelectQueryBuilder<Tables, Names, Cut>) =>
    orderedBy.reduce((sorted, value) => sorted.orderBy(value, order), rows).limit(limit + 1)
  const keys = cut(filtered.clearSelect().select(key.as('id')))
  const found = page.areKeysFirst ? select.where(query.engine.isSelected(key, keys)) : filtered
  const rows = await cut(selectValues(found, values)).$castTo<Row & SortedRow>().execute()
  const last = rows.length > limit ? rows[limit - 1] : undefined
  if (last) LastRows.of(query).note(name, last.id, readValues(last, values))
  return rows
}

type SortedRow = Record<`sort_value_${number}`, unknown>

function selectValues<Tables, Names extends keyof Tables, Row>(
  select: SelectQueryBuilder<Tables, Names, Row>,
  values: readonly RawBuilder<unknown>[],
) {
  return select.select(values.map((value, index) => value.as(`sort_value_${index}`)))
}

function readValues(row: SortedRow, values: readonly RawBuilder<unknown>[]): unknown[] {
  return values.map((_, index) => row[`sort_value_${index}`])
}

function sortOf<SortBy extends string>({ table, sortValues, list }: SortedPage<SortBy>) {
  const sortValue: SortValue | readonly SortValue[] = sortValues[list.sort_by]
  const all = Array.isArray(sortValue) ? (sortValue as readonly SortValue[]) : [sortValue as SortValue]
  const keyColumn = `${table}.id`
  const values = all.map((value) => (typeof value === 'string' ? sql.ref(value) : value))
  const key = sql.ref(keyColumn)
  const isByKey = sortValue === keyColumn
  return {
    name: `${table} ${list.sort_by}`,
    values,
    key,
    isByKey,
    /** The key appears once: named twice, it makes SQLite sort. */
    orderedBy: isByKey ? [key] : [...values, key],
  }
}

async function findAfter<Tables, Names extends keyof Tables, Row, SortBy extends string>(
  query: Query,
  select: SelectQueryBuilder<Tables, Names, Row>,
  page: SortedPage<SortBy>,
): Promise<Expression<SqlBool>[]> {
  const { sort_order: order, cursor } = page.list
  const { isByKey, orderedBy } = sortOf(page)
  if (cursor === undefined) return []
  const last = await findLastValues(query, select, page)
  if (last === undefined && cursor < LEAST_KEY) return [sql<SqlBool>`1 = 0`]
  if (last === undefined) throw unknownCursorError(cursor)
  const comparison = sql.raw(order === 'asc' ? '>' : '<')
  const place = sql.join(isByKey ? [cursor] : [...last, cursor])
  return [sql<SqlBool>`(${sql.join(orderedBy)}) ${comparison} (${place})`]
}

/** Undefined without a cursor, or when the values are unknown. */
export async function findLastValues<Tables, Names extends keyof Tables, Row, SortBy extends string>(
  query: Query,
  select: SelectQueryBuilder<Tables, Names, Row>,
  page: SortedPage<SortBy>,
): Promise<unknown[] | undefined> {
  const { cursor } = page.list
  if (cursor === undefined) return undefined
  const noted = LastRows.of(query).find(sortOf(page).name, cursor)
  return (noted as unknown[] | undefined) ?? findSortValues(select, page, cursor)
}

async function findSortValues<Tables, Names extends keyof Tables, Row, SortBy extends string>(
  select: SelectQueryBuilder<Tables, Names, Row>,
  page: SortedPage<SortBy>,
  key: number,
): Promise<unknown[] | undefined> {
  const sort = sortOf(page)
  if (sort.isByKey) return [key]
  const condition = page.findCondition ? await page.findCondition(key) : sql<SqlBool>`${sort.key} = ${key}`
  if (condition === undefined) return undefined
  const row = await selectValues(select.clearSelect(), sort.values)
    .where(condition)
    .$castTo<SortedRow>()
    .executeTakeFirst()
  return row && readValues(row, sort.values)
}

function unknownCursorError(cursor: number): HttpError {
  const message = `is of no record, or of one that was deleted; received "${cursor}"`
  return new HttpError('BAD_REQUEST', `The cursor ${message}. Begin again without a cursor.`, {
    issues: [{ path: ['cursor'], message }],
  })
}

/** Takes up to `limit + 1` rows: the cursor is the key of the last row shown; one more row proves that there are more. */
export function pageFrom<Row extends { id: number }, Item>(
  rows: readonly Row[],
  limit: number,
  mapRow: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const hasMore = rows.length > limit
  return {
    data: shown.map(mapRow),
    meta: { has_more: hasMore, next_cursor: hasMore ? (shown.at(-1)?.id ?? null) : null },
  }
}

const MAX_REMEMBERED = 1000

/**
 * Remembers the sort values of pages' last rows as shown: the next page begins there, even if the row has changed or was deleted.
 * The oldest are forgotten first, and all with the process; then the row itself is read.
 */
export class LastRows {
  readonly #values = new Map<string, unknown>()

  static of(query: Query): LastRows {
    const known = lastRowsOf.get(query)
    if (known) return known
    const created = new LastRows()
    lastRowsOf.set(query, created)
    return created
  }

  /** Shares them with another query of the same database. */
  static share(known: Query, query: Query): void {
    lastRowsOf.set(query, LastRows.of(known))
  }

  /** `order` names a list and what sorts it. */
  note(order: string, key: number, value: unknown): void {
    const name = `${key} ${order}`
    this.#values.delete(name)
    this.#values.set(name, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > MAX_REMEMBERED && oldest !== undefined) this.#values.delete(oldest)
  }

  find(order: string, key: number): unknown {
    return this.#values.get(`${key} ${order}`)
  }
}

const lastRowsOf = new WeakMap<Query, LastRows>()
