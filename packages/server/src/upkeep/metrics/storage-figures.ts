import { statfs } from 'node:fs/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { sumUnlinkedBytes } from '../../record/files/attachments/unlinked-store'
import { sumBlobBytes } from '../../record/files/blobs/store'
import type { Database, DatabaseStats } from '../../storage/database/database'
import { countPendingDeletions } from '../deletions/store'

const ROWS_READ_AGAIN_AFTER_MS = 60_000

interface StorageFigures extends DatabaseStats {
  databaseBytes: number
  freeBytes: number
  blobBytes: number
  unlinkedBytes: number
  pendingDeletions: number
}

interface Figure {
  name: string
  help: string
  read(figures: StorageFigures): number
}

const GAUGES: readonly Figure[] = [
  {
    name: 'runledger_database_writes_queued',
    help: 'Writes that wait for their turn',
    read: (figures) => figures.writesQueued,
  },
  {
    name: 'runledger_database_reads_under_way',
    help: 'Reads that run now',
    read: (figures) => figures.readsUnderWay,
  },
  {
    name: 'runledger_database_reads_queued',
    help: 'Reads that wait for a reader',
    read: (figures) => figures.readsQueued,
  },
  {
    name: 'runledger_database_wal_bytes',
    help: 'Size of the write-ahead log of SQLite; 0 with PostgreSQL',
    read: (figures) => figures.walBytes,
  },
  {
    name: 'runledger_database_bytes',
    help: 'Size of the database; at most a minute old',
    read: (figures) => figures.databaseBytes,
  },
  {
    name: 'runledger_disk_free_bytes',
    help: 'Room on the disk of the data folder',
    read: (figures) => figures.freeBytes,
  },
  {
    name: 'runledger_blob_stored_bytes',
    help: 'Bytes of attachments on record, equal bytes counted once; at most a minute old',
    read: (figures) => figures.blobBytes,
  },
  {
    name: 'runledger_attachment_unlinked_bytes',
    help: 'Bytes of attachments that are linked to nothing; at most a minute old',
    read: (figures) => figures.unlinkedBytes,
  },
  {
    name: 'runledger_cleanup_backlog',
    help: 'Deleted procedures, units and runs whose rows are still to go; at most a minute old',
    read: (figures) => figures.pendingDeletions,
  },
]

const COUNTERS: readonly Figure[] = [
  {
    name: 'runledger_database_writes_total',
    help: 'Writes since the process began',
    read: (figures) => figures.writes,
  },
  {
    name: 'runledger_database_commits_total',
    help: 'Transactions since the process began; each holds one write or several',
    read: (figures) => figures.commits,
  },
  {
    name: 'runledger_database_reads_stopped_total',
    help: 'Reads that took too long, or whose client had gone',
    read: (figures) => figures.cancelledReads,
  },
]

export function registerStorageFigures(registry: Registry): (figures: StorageFigures) => void {
  const registers = [registry]
  const gauges = GAUGES.map(({ name, help, read }) => ({ read, gauge: new Gauge({ name, help, registers }) }))
  const counters = COUNTERS.map(({ name, help, read }) => ({
    read,
    counter: new Counter({ name, help, registers }),
  }))
  return (figures) => {
    for (const { gauge, read } of gauges) gauge.set(read(figures))
    for (const { counter, read } of counters) {
      counter.reset()
      counter.inc(read(figures))
    }
  }
}

/** Counts rows at most once a minute, and once for concurrent requests. */
export function createFiguresReader(database: Database, dataDir: string): () => Promise<StorageFigures> {
  let rows: Promise<RowFigures> | undefined
  let readAtMs = -Infinity
  return async () => {
    if (!rows || performance.now() - readAtMs >= ROWS_READ_AGAIN_AFTER_MS) {
      readAtMs = performance.now()
      rows = readRows(database)
      rows.catch(() => (rows = undefined))
    }
    const counted = await rows
    const { bavail, bsize } = await statfs(dataDir)
    return { ...database.stats(), ...counted, freeBytes: bavail * bsize }
  }
}

type RowFigures = Pick<StorageFigures, 'databaseBytes' | 'blobBytes' | 'unlinkedBytes' | 'pendingDeletions'>

async function readRows({ query }: Database): Promise<RowFigures> {
  const { rows } = await query.engine.selectSize.execute(query)
  return {
    databaseBytes: rows[0]?.bytes ?? 0,
    blobBytes: await sumBlobBytes(query),
    unlinkedBytes: await sumUnlinkedBytes(query),
    pendingDeletions: await countPendingDeletions(query),
  }
}
