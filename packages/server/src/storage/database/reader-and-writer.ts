import type { Database, DatabaseStats, Query, Transaction } from './database'
import { LastRows } from './sorted-page'

interface Readers extends Pick<Database, 'query' | 'read' | 'close'> {
  readonly underWay: number
  readonly queued: number
  readonly cancelled: number
}

interface Writer extends Pick<Database, 'write' | 'close'> {
  readonly counts: Pick<DatabaseStats, 'writes' | 'commits'>
  readonly queued: number
}

interface DatabaseParts {
  readers: Readers
  writer: Writer
  /** Only if the service manages the write-ahead log. */
  measureWal?: () => number
  beforeClose?: () => void
}

export function joinReadersAndWriter(parts: DatabaseParts): Database {
  const { readers, writer, measureWal = () => 0, beforeClose = () => undefined } = parts
  const { query } = readers
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    beforeClose()
    await readers.close()
    await writer.close()
  }
  return {
    query,
    read: (work, options) =>
      readers.read((snapshot: Query) => {
        LastRows.share(query, snapshot)
        return work(snapshot)
      }, options),
    write: <Result>(work: (transaction: Transaction) => Promise<Result>) => writer.write(work),
    stats: () => ({
      ...writer.counts,
      writesQueued: writer.queued,
      readsUnderWay: readers.underWay,
      readsQueued: readers.queued,
      cancelledReads: readers.cancelled,
      walBytes: measureWal(),
    }),
    close: () => (closing ??= close()),
  }
}
