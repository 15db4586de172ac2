import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../database'
import { joinReadersAndWriter } from '../reader-and-writer'
import { sqliteModuleName } from './sqlite-driver'
import { startProcess, startThread } from './sqlite-peer'
import { type ReaderOptions, SqliteReaders } from './sqlite-readers'
import { SqliteWriter, type WriterOptions } from './sqlite-writer'
import { DATABASE_FILE } from '../../folder/data-folder'

// Set the lock timeout first: readers of a killed service hold a lock briefly when they end.
const WRITER_PRAGMAS = [
  'busy_timeout=5000',
  'journal_mode=WAL',
  'synchronous=FULL',
  'foreign_keys=ON',
  'cache_size=-32768',
  'wal_autocheckpoint=8000',
]
// Mapped, a row of 7 MB needs no system call for each of its 1,800 pages.
const READER_PRAGMAS = ['busy_timeout=5000', 'cache_size=-32768', 'mmap_size=268435456', 'query_only=ON']

const OPTIMIZE_INTERVAL_MS = 24 * 60 * 60 * 1000

const MAX_WAL_BYTES = 64 * 1024 * 1024

export interface DatabaseOptions extends ReaderOptions, WriterOptions {
  /** The write-ahead log restarts above this size. */
  maxWalBytes?: number
  /** The writing thread ended by itself: nothing can be written any more. */
  writerEnded?: (error: Error) => void
}

/** A thread writes, and processes read. */
export async function openSqliteDatabase(dataDir: string, options: DatabaseOptions = {}): Promise<Database> {
  const peer = { module: sqliteModuleName(), path: join(dataDir, DATABASE_FILE) }
  const { maxWalBytes = MAX_WAL_BYTES, writerEnded = () => undefined } = options
  const thread = startThread({ ...peer, pragmas: WRITER_PRAGMAS, maxWalBytes })
  void thread.ended.then(writerEnded)
  // The writer comes first: readers need the file and its journal mode.
  await thread.ask({ do: 'run', statements: [], rows: false })
  const readers = new SqliteReaders(() => startProcess({ ...peer, pragmas: READER_PRAGMAS }), options)
  const writer = new SqliteWriter(thread, options)
  const optimizing = setInterval(() => void writer.optimize().catch(() => undefined), OPTIMIZE_INTERVAL_MS)
  optimizing.unref()
  return joinReadersAndWriter({
    readers,
    writer,
    measureWal: () => statSync(`${peer.path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    beforeClose: () => clearInterval(optimizing),
  })
}
