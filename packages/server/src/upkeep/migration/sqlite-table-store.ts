import { join } from 'node:path'
import type { SqlValue } from '../../storage/database/database'
import { loadSqlite, type SqliteConnection, toBindable } from '../../storage/database/sqlite/sqlite-driver'
import { MIGRATIONS_TABLE } from '../../storage/database/sqlite/migrate'
import { listNames, quote, type Row, type Table, type TableStore } from './table-store'
import { DATABASE_FILE } from '../../storage/folder/data-folder'

const PRAGMAS = [
  'busy_timeout=5000',
  'journal_mode=WAL',
  'synchronous=FULL',
  'foreign_keys=ON',
  'cache_size=-262144',
  'temp_store=MEMORY',
]

/** The database must be up to date and locked. */
export async function openSqliteTables(dataDir: string): Promise<TableStore> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(dataDir, DATABASE_FILE))
  for (const pragma of PRAGMAS) connection.exec(`PRAGMA ${pragma}`)
  return new SqliteTableStore(connection)
}

class SqliteTableStore implements TableStore {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  listTables(): Promise<Table[]> {
    // Triggers fill the search indexes, which are virtual tables with shadow tables.
    const names = this.#all(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '${MIGRATIONS_TABLE}' ORDER BY name`,
    )
    return Promise.resolve(names.map(([name]) => this.#describe(name as string)))
  }

  #describe(name: string): Table {
    const columns = this.#all('SELECT name, type, pk FROM pragma_table_info(?)', [name])
    const ofKey = columns.filter(([, , place]) => Number(place) > 0)
    return {
      name,
      columns: columns.map(([column, type]) => ({ name: column as string, type: type as string })),
      key: ofKey.toSorted((a, b) => Number(a[2]) - Number(b[2])).map(([column]) => column as string),
      references: this.#all('SELECT "from", "table" FROM pragma_foreign_key_list(?)', [name]).map(
        ([column, table]) => ({ column: column as string, table: table as string }),
      ),
    }
  }

  read(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return Promise.resolve(this.#all(sql, values))
  }

  insert({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const places = columns.map(() => '?').join(', ')
    const names = listNames(columns.map((column) => column.name))
    return this.runEach(`INSERT INTO ${quote(name)} (${names}) VALUES (${places})`, rows)
  }

  runEach(sql: string, values: readonly Row[]): Promise<void> {
    return this.#write(() => {
      const statement = this.#connection.prepare(sql)
      for (const each of values) statement.run(...each.map(toBindable))
    })
  }

  #write(work: () => void): Promise<void> {
    this.#connection.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#connection.exec('COMMIT')
      return Promise.resolve()
    } catch (error) {
      this.#rollBack()
      return Promise.reject(error as Error)
    }
  }

  // A full disk makes SQLite roll back by itself.
  #rollBack(): void {
    try {
      this.#connection.exec('ROLLBACK')
    } catch {
      return
    }
  }

  close(): Promise<void> {
    this.#connection.close()
    return Promise.resolve()
  }

  #all(sql: string, values: readonly SqlValue[] = []): SqlValue[][] {
    const rows = this.#connection.prepare(sql).all(...values) as Record<string, SqlValue>[]
    return rows.map((row) => Object.values(row))
  }
}
