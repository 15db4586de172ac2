import type { Kysely } from 'kysely'
import { HttpError } from '../../base/errors'
import type { Engine } from './engine'
import type { Schema } from './schema/index'

/** Reads the database; inside a transaction, the transaction's own view. */
export type Query = Kysely<Schema> & {
  /** SQL that differs between the databases. */
  readonly engine: Engine
}

export type SqlValue = string | number | null | Uint8Array

/** A text with placeholders, and their values. */
export type Statement = readonly [sql: string, values: readonly SqlValue[]]

export interface StatementResult {
  rows?: unknown[]
  /** How many rows it changed. */
  changes?: number
}

/** The one writing connection, between BEGIN and COMMIT. */
export interface Transaction {
  readonly query: Query
  /** Rows of a prepared text with `?` placeholders; the text is the cache key. */
  all<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]>
  /** Sent without waiting: its failure fails the next `all`, or else the whole write before its commit. */
  run(sql: string, values: readonly SqlValue[]): Promise<void>
}

/** The port that SQLite and PostgreSQL implement. */
export interface Database {
  /** Reads only, each on a snapshot of the data committed before it; stopped after a time limit. */
  readonly query: Query
  /** Several reads on one snapshot, stopped together after a time limit. */
  read<Result>(work: (query: Query) => Promise<Result>, options?: ReadOptions): Promise<Result>
  /**
   * Runs `work` in one transaction: everything is on disk when this resolves, nothing when it rejects, except with a
   * CommitUnknownError. `work` may run again, when its keys exist already or another process has changed what it read.
   */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  stats(): DatabaseStats
  /** Finishes writes in progress, and stops reads. */
  close(): Promise<void>
}

export interface ReadOptions {
  /** Aborting it stops the read. */
  signal?: AbortSignal
}

/** Figures of this moment, and counts since the start. */
export interface DatabaseStats {
  writesQueued: number
  readsUnderWay: number
  readsQueued: number
  /** Size of the write-ahead log's file; 0 if the database manages that itself. */
  walBytes: number
  writes: number
  /** Transactions that hold these writes. */
  commits: number
  /** Reads that were stopped by the time limit or because their client went away. */
  cancelledReads: number
}

/** The same database with all its reads on the snapshot of `query`. */
export function readingFrom(database: Database, query: Query): Database {
  return {
    query,
    read: (work) => work(query),
    write: (work) => database.write(work),
    stats: () => database.stats(),
    close: () => database.close(),
  }
}

/** The connection broke during the commit: the whole transaction is on disk, or will be in a moment, or nothing of it is. */
export class CommitUnknownError extends HttpError {
  constructor(cause: unknown) {
    const message =
      'The service lost its database while this was stored: it may be stored or not. Look whether it is there, or send it again with the same Idempotency-Key.'
    // Not 503, which says that nothing was stored.
    super('INTERNAL_SERVER_ERROR', message, { cause })
  }
}

/** A primary key exists already. */
export class KeyClashError extends Error {
  override name = 'KeyClashError'
  readonly code = 'KEY_CLASH'
}
