import type { Kysely } from 'kysely'
import { HttpError } from '../../base/errors'
import type { Engine } from './engine'
import type { Schema } from './schema/index'

/** Inside a transaction, reads see the transaction's own changes. */
export type Query = Kysely<Schema> & {
  readonly engine: Engine
}

export type SqlValue = string | number | null | Uint8Array

export type Statement = readonly [sql: string, values: readonly SqlValue[]]

export interface StatementResult {
  rows?: unknown[]
  changes?: number
}

/** The one writing connection, between BEGIN and COMMIT. */
export interface Transaction {
  readonly query: Query
  /** The text has `?` placeholders, and is the key of the cache of prepared statements. */
  all<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]>
  /** Does not wait: a failure fails the next `all`, or the whole write before its commit. */
  run(sql: string, values: readonly SqlValue[]): Promise<void>
}

/** The port that SQLite and PostgreSQL implement. */
export interface Database {
  /** Each read has its own snapshot, and a time limit. */
  readonly query: Query
  /** All reads share one snapshot and one time limit. */
  read<Result>(work: (query: Query) => Promise<Result>, options?: ReadOptions): Promise<Result>
  /**
   * One transaction: all is on disk when this resolves, nothing when it rejects, except with a CommitUnknownError. `work` may run
   * again, after a key clash or a conflict with another process.
   */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  stats(): DatabaseStats
  /** Finishes writes, and stops reads. */
  close(): Promise<void>
}

export interface ReadOptions {
  signal?: AbortSignal
}

/** Figures of this moment, and counts since the start. */
export interface DatabaseStats {
  writesQueued: number
  readsUnderWay: number
  readsQueued: number
  /** The write-ahead log's file; 0 if the database manages it. */
  walBytes: number
  writes: number
  /** Transactions that hold these writes. */
  commits: number
  /** Stopped by the time limit, or because the client went away. */
  cancelledReads: number
}

export function readingFrom(database: Database, query: Query): Database {
  return {
    query,
    read: (work) => work(query),
    write: (work) => database.write(work),
    stats: () => database.stats(),
    close: () => database.close(),
  }
}

/** The connection broke during the commit: all of the transaction is on disk, or soon will be, or nothing is. */
export class CommitUnknownError extends HttpError {
  constructor(cause: unknown) {
    const message =
      'The service lost its database while this was stored: it may be stored or not. Look whether it is there, or send it again with the same Idempotency-Key.'
    // Not 503, which says that nothing was stored.
    super('INTERNAL_SERVER_ERROR', message, { cause })
  }
}

export class KeyClashError extends Error {
  override name = 'KeyClashError'
  readonly code = 'KEY_CLASH'
}
