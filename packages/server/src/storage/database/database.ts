import type { Kysely } from 'kysely'
import { HttpError } from '../../base/errors'
import type { Engine } from './engine'
import type { Schema } from './schema/index'

/** What a store reads with; inside a transaction it is the transaction's own. */
export type Query = Kysely<Schema> & {
  /** What the database behind it writes in its own way. */
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
  /** Sent without waiting: what goes wrong with it fails the next `all`, or else the whole write before its commit. */
  run(sql: string, values: readonly SqlValue[]): Promise<void>
}

/** The port that SQLite and PostgreSQL implement. */
export interface Database {
  /** Reads only, each on a snapshot of what was committed before it began, and stopped after some seconds. */
  readonly query: Query
  /** Several reads on one snapshot, all of them stopped after some seconds. */
  read<Result>(work: (query: Query) => Promise<Result>, options?: ReadOptions): Promise<Result>
  /**
   * Runs `work` in one transaction: all of it is on disk when this resolves, none of it when it rejects, unless with a
   * CommitUnknownError. `work` may run again, when keys that it made exist already, or when somebody else has changed
   * what it read.
   */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  stats(): DatabaseStats
  /** Finishes the writes that were begun, breaks off the reads. */
  close(): Promise<void>
}

export interface ReadOptions {
  /** Stops what is read when it aborts. */
  signal?: AbortSignal
}

/** Figures of this moment, and counts since the start. */
export interface DatabaseStats {
  writesQueued: number
  readsUnderWay: number
  readsQueued: number
  /** Size of the write-ahead log's file; 0 where the database sees to that itself. */
  walBytes: number
  writes: number
  /** Transactions that hold these writes. */
  commits: number
  /** Reads that were stopped: their time was over, or their client had gone. */
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

/** The connection broke while the transaction was committed: all of it is on disk, or will be in a moment, or none of it is. */
export class CommitUnknownError extends HttpError {
  constructor(cause: unknown) {
    const message =
      'The service lost its database while this was stored: it may be stored or not. Look whether it is there, or send it again with the same Idempotency-Key.'
    // A 503 says that nothing was done.
    super('INTERNAL_SERVER_ERROR', message, { cause })
  }
}

/** A primary key exists already. */
export class KeyClashError extends Error {
  override name = 'KeyClashError'
  readonly code = 'KEY_CLASH'
}
