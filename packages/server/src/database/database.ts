import type { Kysely } from 'kysely'
import type { Schema } from './schema'
import type { SqlValue } from './sqlite-driver'

/** What a store reads with; inside a transaction it is the transaction's own. */
export type Query = Kysely<Schema>

/** The one writing connection, between BEGIN and COMMIT. */
export interface Transaction {
  readonly query: Query
  /** Rows of a prepared text with `?` placeholders; the text is the cache key. */
  all<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]>
  run(sql: string, values: readonly SqlValue[]): Promise<void>
}

/** The port that SQLite implements now and PostgreSQL later. */
export interface Database {
  /** Reads only, each on a snapshot of what was committed before it began. */
  readonly query: Query
  /** Runs `work` in one transaction: all of it is on disk when this resolves, none of it when it rejects. */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}
