import type { Log } from '../../../base/log'
import type { Database } from '../database'
import { createDescribeFailure, openPool } from './postgres-connection'
import { PostgresReaders } from './postgres-readers'
import { PostgresWriter, type WriterLimits } from './postgres-writer'
import { joinReadersAndWriter } from '../reader-and-writer'

export interface PostgresOptions extends Partial<WriterLimits> {
  log?: Log
  readers?: number
  /** For a read, and for waiting for its turn. */
  readLimitMs?: number
}

/** `migratePostgres` must have brought the database up to date. */
export async function openPostgresDatabase(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { readers = 8, readLimitMs = 10_000, writeLimitMs = 30_000, closeLimitMs = 10_000 } = options
  const reading = await openPool(url, { max: readers, limitMs: readLimitMs, isReadOnly: true })
  const stopping = await openPool(url, { max: 1, limitMs: readLimitMs })
  const writing = await openPool(url, { max: 1, limitMs: writeLimitMs })
  const describeFailure = createDescribeFailure(options.log)
  return joinReadersAndWriter({
    readers: new PostgresReaders({ reading, stopping }, { limitMs: readLimitMs, describeFailure }),
    writer: new PostgresWriter(writing, { writeLimitMs, closeLimitMs, describeFailure }),
  })
}
