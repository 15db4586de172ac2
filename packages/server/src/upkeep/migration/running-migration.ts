import { createHash } from 'node:crypto'
import { forEachBlob } from '../../storage/folder/blob-files'
import { StartError } from '../../base/errors'
import { copyBlob, isWhole, type RecordedBlob } from './move-blobs'
import type { StorageEnd } from './open-end'
import { orderByReferences } from './order-tables'
import { countRows, findLastKey, readRows, type Row, type Table, updateColumn } from './table-store'

const ROWS_AT_ONCE = 2_000
/** Bytes are copied before their rows; an interruption may repeat this many. */
const BLOBS_AT_ONCE = 64
const BLOBS = 'blobs'
/** Each store names the same bytes differently. */
const BLOB_NAME = 'object_name'

export interface MigrationProgress {
  /** Counts once for the copy and once for the check. */
  expect(count: number): void
  step(label: string, count: number): void
}

interface MigratedTable {
  name: string
  rows: number
  /** Over all rows in the order of their keys: equal in source and target. */
  sha256: string
}

export interface MovedRecord {
  tables: MigratedTable[]
  rows: number
  blobs: number
  bytes: number
  /** The source has lost or cut these files: the target lacks them too. */
  lost: string[]
  /** By this call: only the rest if it resumed an earlier one. */
  copied_rows: number
  copy_seconds: number
  check_seconds: number
}

export class RunningMigration {
  readonly #from: StorageEnd
  readonly #to: StorageEnd
  readonly #progress: MigrationProgress | undefined
  #copiedRows = 0
  #bytes = 0
  readonly #lost: string[] = []

  constructor(from: StorageEnd, to: StorageEnd, progress: MigrationProgress | undefined) {
    this.#from = from
    this.#to = to
    this.#progress = progress
  }

  async run(): Promise<MovedRecord> {
    const startedAt = performance.now()
    const tables = await this.#listTables()
    await this.#expect(tables)
    for (const table of tables) await this.#copyTable(table)
    const copiedAt = performance.now()
    const checked: MigratedTable[] = []
    for (const table of tables) checked.push(await this.#checkTable(table))
    await this.#checkBlobs(tables)
    const rows = checked.reduce((sum, table) => sum + table.rows, 0)
    return {
      tables: checked.toSorted(byName),
      rows,
      blobs: checked.find(({ name }) => name === BLOBS)?.rows ?? 0,
      bytes: this.#bytes,
      lost: this.#lost.toSorted(),
      copied_rows: this.#copiedRows,
      copy_seconds: secondsBetween(startedAt, copiedAt),
      check_seconds: secondsBetween(copiedAt, performance.now()),
    }
  }

  /** A row comes after those that it refers to. Columns are sorted by name, so that both ends read them alike. */
  async #listTables(): Promise<Table[]> {
    const source = (await this.#from.tables.listTables()).map(sortColumns)
    const target = (await this.#to.tables.listTables()).map(sortColumns)
    const describe = (tables: readonly Table[]) =>
      JSON.stringify(tables.map(({ name, columns }) => [name, ...columns.map((column) => column.name)]))
    if (describe(source.toSorted(byName)) !== describe(target.toSorted(byName)))
      throw new Error('Source and target have other tables, though both are of this release.')
    return orderByReferences(target)
  }

  async #expect(tables: readonly Table[]): Promise<void> {
    if (!this.#progress) return
    for (const table of tables) this.#progress.expect(2 * (await countRows(this.#from.tables, table)))
  }

  /** Continues after the last copied row, since rows are copied in order. */
  async #copyTable(table: Table): Promise<void> {
    const isBlobs = table.name === BLOBS
    const own = ownReferences(table)
    const after = await findLastKey(this.#to.tables, table)
    const atOnce = isBlobs ? BLOBS_AT_ONCE : ROWS_AT_ONCE
    if (after) this.#progress?.step(table.name, await countRows(this.#to.tables, table))
    for await (const rows of readRows(this.#from.tables, table, { after, atOnce })) {
      const moved = isBlobs ? await this.#copyBlobs(table, rows) : rows
      await this.#to.tables.insert(
        table,
        own.length === 0 ? moved : moved.map((row) => withoutPlaces(row, own)),
      )
      this.#copiedRows += rows.length
      this.#progress?.step(table.name, rows.length)
    }
    for (const place of own) await this.#copyOwnReferences(table, place)
  }

  /** A row may refer to a later one of its table: set such columns when all rows are copied. */
  async #copyOwnReferences(table: Table, place: number): Promise<void> {
    const column = table.columns[place]?.name as string
    const key = table.key.map((name) => table.columns.findIndex((each) => each.name === name))
    for await (const rows of readRows(this.#from.tables, table, { atOnce: ROWS_AT_ONCE })) {
      const values = rows
        .filter((row) => row[place] !== null)
        .map((row) => [row[place] ?? null, ...key.map((each) => row[each] ?? null)])
      if (values.length > 0) await updateColumn(this.#to.tables, { table, column, values })
    }
  }

  /** Returns the rows with the target's names. Bytes that the source has lost keep their name; the check reports them. */
  async #copyBlobs(table: Table, rows: readonly Row[]): Promise<Row[]> {
    const { blobs: from } = this.#from
    const { blobs: to } = this.#to
    const place = placeOf(table, BLOB_NAME)
    const moved = [...rows]
    await forEachBlob([...rows.entries()], async ([index, row]) => {
      const name = await copyBlob(from, to, readBlob(table, row))
      if (name !== undefined) moved[index] = row.with(place, name)
    })
    return moved
  }

  /** @throws StartError when source and target differ */
  async #checkTable(table: Table): Promise<MigratedTable> {
    const source = await this.#digest(this.#from, table)
    const target = await this.#digest(this.#to, table)
    if (source.sha256 !== target.sha256) throw changedRowsError(table.name, source.rows, target.rows)
    this.#progress?.step(`checking ${table.name}`, table.name === BLOBS ? 0 : source.rows)
    return source
  }

  async #digest({ tables }: StorageEnd, table: Table): Promise<MigratedTable> {
    const hash = createHash('sha256')
    const differing = table.name === BLOBS ? [placeOf(table, BLOB_NAME)] : []
    let count = 0
    for await (const rows of readRows(tables, table, { atOnce: ROWS_AT_ONCE })) {
      for (const row of rows) hash.update(`${JSON.stringify(withoutPlaces(row, differing).map(toPlain))}\n`)
      count += rows.length
    }
    return { name: table.name, rows: count, sha256: hash.digest('hex') }
  }

  /** Copies damaged bytes again, unless the source has lost them. */
  async #checkBlobs(tables: readonly Table[]): Promise<void> {
    const table = tables.find(({ name }) => name === BLOBS) as Table
    // The comparison of tables showed the same rows in the same order.
    const target = readRows(this.#to.tables, table, { atOnce: BLOBS_AT_ONCE })
    for await (const rows of readRows(this.#from.tables, table, { atOnce: BLOBS_AT_ONCE })) {
      const moved = (await target.next()).value as Row[]
      await forEachBlob([...rows.entries()], async ([index, row]) => {
        const [ours, theirs] = [readBlob(table, row), readBlob(table, moved[index] as Row)]
        if ((await isWhole(this.#to.blobs, theirs)) || (await this.#copyAgain(table, ours)))
          this.#bytes += ours.sizeBytes
        else this.#lost.push(ours.sha256)
      })
      this.#progress?.step('checking files', rows.length)
    }
  }

  /** False if the source has lost the bytes. */
  async #copyAgain(table: Table, blob: RecordedBlob): Promise<boolean> {
    const name = await copyBlob(this.#from.blobs, this.#to.blobs, blob)
    if (name === undefined) return false
    await updateColumn(this.#to.tables, { table, column: BLOB_NAME, values: [[name, blob.sha256]] })
    return isWhole(this.#to.blobs, { ...blob, name })
  }
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1
}

function sortColumns(table: Table): Table {
  return { ...table, columns: table.columns.toSorted(byName) }
}

function secondsBetween(from: number, to: number): number {
  return Math.round((to - from) / 100) / 10
}

function placeOf({ columns }: Table, name: string): number {
  return columns.findIndex((column) => column.name === name)
}

function readBlob(table: Table, row: Row): RecordedBlob {
  return {
    sha256: row[placeOf(table, 'sha256')] as string,
    sizeBytes: row[placeOf(table, 'size_bytes')] as number,
    name: row[placeOf(table, BLOB_NAME)] as string,
  }
}

function ownReferences({ name, columns, key, references }: Table): number[] {
  return references
    .filter(({ column, table }) => table === name && !key.includes(column))
    .map((reference) => columns.findIndex((column) => column.name === reference.column))
}

function withoutPlaces(row: Row, places: readonly number[]): Row {
  return row.map((value, index) => (places.includes(index) ? null : value))
}

/** The same for both databases. */
function toPlain(value: Row[number]): string | number | null {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

function changedRowsError(table: string, source: number, target: number): StartError {
  return new StartError(
    `The table ${table} of source and target differ (${source} and ${target} rows): something has written to one of them since the migration began. Empty the target, and begin anew.`,
  )
}
