import type { Log } from '../log'
import type { Database, DatabaseStats, Query, ReadOptions, Transaction } from './database'
import { createDescribeFailure, openPool } from './postgres-connection'
import { PostgresReaders } from './postgres-readers'
import { PostgresWriter, type WriterLimits } from './postgres-writer'
import { LastRows } from './sorted-page'

export interface PostgresOptions extends Partial<WriterLimits> {
  /** Is told when the database is gone. */
  log?: Log
  /** How many reads are under way at once. */
  readers?: number
  /** How long a read may take, and wait for its turn. */
  readLimitMs?: number
}

/** Opens a PostgreSQL database that `migratePostgres` has brought up to date. */
export async function openPostgresDatabase(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { readers = 8, readLimitMs = 10_000, writeLimitMs = 30_000, closeLimitMs = 10_000 } = options
  const reading = await openPool(url, { max: readers, limitMs: readLimitMs, isReadOnly: true })
  const stopping = await openPool(url, { max: 1, limitMs: readLimitMs })
  const writing = await openPool(url, { max: 1, limitMs: writeLimitMs })
  const describeFailure = createDescribeFailure(options.log)
  return new PostgresDatabase(
    new PostgresWriter(writing, { writeLimitMs, closeLimitMs, describeFailure }),
    new PostgresReaders({ reading, stopping }, { limitMs: readLimitMs, describeFailure }),
  )
}

class PostgresDatabase implements Database {
  readonly query: Query
  readonly #writer: PostgresWriter
  readonly #readers: PostgresReaders
  #closing: Promise<void> | undefined

  constructor(writer: PostgresWriter, readers: PostgresReaders) {
    this.#writer = writer
    this.#readers = readers
    this.query = readers.query
  }

  read<Result>(work: (query: Query) => Promise<Result>, options?: ReadOptions): Promise<Result> {
    return this.#readers.read((query) => {
      LastRows.share(this.query, query)
      return work(query)
    }, options)
  }

  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#writer.write(work)
  }

  stats(): DatabaseStats {
    return {
      ...this.#writer.counts,
      writesQueued: this.#writer.queued,
      readsUnderWay: this.#readers.underWay,
      readsQueued: this.#readers.queued,
      cancelledReads: this.#readers.cancelled,
      walBytes: 0,
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await this.#readers.close()
    await this.#writer.close()
  }
}
