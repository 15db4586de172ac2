import type { SqlValue } from '../../storage/database/database'
import { PLACE_ID } from '../../storage/database/places/bytes-place'
import { MADE_BY } from '../../storage/database/sqlite/migrate'
import { DATABASE_ID } from '../../storage/database/postgres/postgres-migrate'
import { UNFINISHED } from '../../storage/database/places/unfinished'

/** In the order of the table's columns. */
export type Row = readonly SqlValue[]

export interface Table {
  name: string
  columns: readonly Column[]
  /** The primary key, in its order. */
  key: readonly string[]
  references: readonly Reference[]
}

interface Column {
  name: string
  /** As the database names it. */
  type: string
}

interface Reference {
  column: string
  table: string
}

export interface TableStore {
  /** Leaves out tables that the database makes and fills by itself. */
  listTables(): Promise<Table[]>
  read(sql: string, values?: readonly SqlValue[]): Promise<Row[]>
  /** All or none, on disk when this resolves. */
  insert(table: Table, rows: readonly Row[]): Promise<void>
  /** Once with each of these values: all or nothing. */
  runEach(sql: string, values: readonly Row[]): Promise<void>
  close(): Promise<void>
}

const SETTINGS = 'settings'
/** A database's notes about itself, which are not copied. */
const OWN_SETTINGS = [PLACE_ID, DATABASE_ID, MADE_BY, UNFINISHED]
const NOT_OWN = `name NOT IN (${OWN_SETTINGS.map((name) => `'${name}'`).join(', ')})`

export async function countRows(store: TableStore, table: Table): Promise<number> {
  const [row] = await store.read(`SELECT count(*) FROM ${quote(table.name)}${where([conditionOf(table)])}`)
  return Number(row?.[0])
}

/** Undefined without a row. */
export async function findLastKey(store: TableStore, table: Table): Promise<Row | undefined> {
  const order = table.key.map((name) => `${quote(name)} DESC`).join(', ')
  const [key] = await store.read(
    `SELECT ${listNames(table.key)} FROM ${quote(table.name)}${where([conditionOf(table)])} ORDER BY ${order} LIMIT 1`,
  )
  return key
}

/** A row may have a text of some MB. */
const CHARACTERS_AT_ONCE = 8_000_000

/** In the order of keys, at most `atOnce` at a time, and fewer long ones. */
export async function* readRows(
  store: Pick<TableStore, 'read'>,
  table: Table,
  { after, atOnce }: { after?: Row | undefined; atOnce: number },
): AsyncGenerator<Row[]> {
  const places = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  let limit = atOnce
  for (let last = after; ;) {
    const rows = await store.read(selectRows(table, last !== undefined, limit), last ?? [])
    if (rows.length === 0) return
    yield rows
    // The database measures as many rows as it may return: it would measure long ones repeatedly.
    limit = Math.min(atOnce, 2 * rows.length)
    last = places.map((place) => rows.at(-1)?.[place] ?? null)
  }
}

function selectRows(table: Table, isAfter: boolean, atOnce: number): string {
  const key = listNames(table.key)
  const columns = listNames(table.columns.map(({ name }) => name))
  const rest = isAfter ? `(${key}) > (${table.key.map(() => '?').join(', ')})` : undefined
  const page = `SELECT ${columns} FROM ${quote(table.name)}${where([conditionOf(table), rest])} ORDER BY ${key} LIMIT ${atOnce}`
  const texts = table.columns.filter(({ type }) => type.toLowerCase() === 'text')
  if (texts.length === 0) return page
  const length = texts.map(({ name }) => `coalesce(length(${quote(name)}), 0)`).join(' + ')
  const before = `sum(${length}) OVER (ORDER BY ${key}) - (${length}) AS characters_before`
  return `SELECT ${columns} FROM (SELECT ${columns}, ${before} FROM (${page}) AS page) AS measured
    WHERE characters_before < ${CHARACTERS_AT_ONCE} ORDER BY ${key}`
}

/** `values` are pairs of the new value and the key of the row. */
export function updateColumn(
  store: TableStore,
  { table, column, values }: { table: Table; column: string; values: readonly Row[] },
): Promise<void> {
  const isRow = table.key.map((name) => `${quote(name)} = ?`).join(' AND ')
  return store.runEach(`UPDATE ${quote(table.name)} SET ${quote(column)} = ? WHERE ${isRow}`, values)
}

export function analyze(store: TableStore): Promise<void> {
  return store.runEach('ANALYZE', [[]])
}

/** Identifies a record, but not its copies. */
export async function findFirstUser(store: TableStore): Promise<string | undefined> {
  const [user] = await store.read('SELECT public_id FROM users ORDER BY id LIMIT 1')
  return user?.[0] as string | undefined
}

/** Undefined without a move. */
export async function readUnfinished(store: TableStore): Promise<string | undefined> {
  const [mark] = await store.read(`SELECT value FROM ${SETTINGS} WHERE name = ?`, [UNFINISHED])
  return mark && (JSON.parse(mark[0] as string) as string)
}

export function markUnfinished(store: TableStore, user: string): Promise<void> {
  return store.runEach(`INSERT INTO ${SETTINGS} (name, value) VALUES (?, ?)`, [
    [UNFINISHED, JSON.stringify(user)],
  ])
}

export function markFinished(store: TableStore): Promise<void> {
  return store.runEach(`DELETE FROM ${SETTINGS} WHERE name = ?`, [[UNFINISHED]])
}

export function quote(name: string): string {
  return `"${name}"`
}

export function listNames(names: readonly string[]): string {
  return names.map(quote).join(', ')
}

function conditionOf({ name }: Table): string | undefined {
  return name === SETTINGS ? NOT_OWN : undefined
}

function where(conditions: readonly (string | undefined)[]): string {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length === 0 ? '' : ` WHERE ${given.join(' AND ')}`
}
