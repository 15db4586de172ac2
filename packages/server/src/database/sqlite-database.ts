import { join } from 'node:path'
import type { Database, Query, Transaction } from './database'
import { createKysely } from './kysely'
import { CachingConnection, loadSqlite, type SqliteConnection, type SqlValue } from './sqlite-driver'

export const DATABASE_FILE = 'runledger.db'

const WRITER_PRAGMAS = [
  'journal_mode=WAL',
  'synchronous=FULL',
  'foreign_keys=ON',
  'busy_timeout=5000',
  'cache_size=-65536',
  'wal_autocheckpoint=8000',
]
const READER_PRAGMAS = ['busy_timeout=5000', 'cache_size=-65536', 'query_only=ON']

const MAX_KEY_ATTEMPTS = 5

/** Opens the database file of a data folder: one connection that writes, one that reads. */
export async function openSqliteDatabase(dataDir: string): Promise<Database> {
  const { DatabaseSync } = await loadSqlite()
  const path = join(dataDir, DATABASE_FILE)
  const writer = new CachingConnection(new DatabaseSync(path))
  setPragmas(writer, WRITER_PRAGMAS)
  const reader = new CachingConnection(new DatabaseSync(path))
  setPragmas(reader, READER_PRAGMAS)
  return new SqliteDatabase(writer, reader)
}

function isKeyClash(error: unknown): boolean {
  return error instanceof Error && /^UNIQUE constraint failed: (?:\w+\.run_id, )?\w+\.id$/.test(error.message)
}

function setPragmas(connection: SqliteConnection, pragmas: readonly string[]): void {
  for (const pragma of pragmas) connection.exec(`PRAGMA ${pragma}`)
}

class SqliteDatabase implements Database {
  readonly query: Query
  readonly #writer: SqliteConnection
  readonly #reader: SqliteConnection
  readonly #transaction: Transaction
  #lastWrite: Promise<unknown> = Promise.resolve()

  constructor(writer: SqliteConnection, reader: SqliteConnection) {
    this.#writer = writer
    this.#reader = reader
    this.query = createKysely(reader)
    this.#transaction = {
      query: createKysely(writer),
      all: <Row extends object>(sql: string, values: readonly SqlValue[]) =>
        Promise.resolve(writer.prepare(sql).all(...values) as Row[]),
      run: (sql, values) => {
        writer.prepare(sql).run(...values)
        return Promise.resolve()
      },
    }
  }

  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const result = this.#lastWrite.then(() => this.#writeWithFreshKeys(work))
    this.#lastWrite = result.catch(() => undefined)
    return result
  }

  // Keys come from the clock, so a clock set back can make one that exists: work is then done again with fresh ones.
  async #writeWithFreshKeys<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#runTransaction(work)
      } catch (error) {
        if (attempt === MAX_KEY_ATTEMPTS || !isKeyClash(error)) throw error
      }
    }
  }

  async #runTransaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    this.#writer.exec('BEGIN IMMEDIATE')
    try {
      const result = await work(this.#transaction)
      this.#writer.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  // A full disk makes SQLite roll back by itself; a second ROLLBACK would then hide the first error.
  #rollBack(): void {
    try {
      this.#writer.exec('ROLLBACK')
    } catch {
      return
    }
  }

  async close(): Promise<void> {
    await this.#lastWrite
    this.#reader.close()
    this.#writer.close()
  }
}
