import type { ErrorCode } from '@runledger/protocol'
import { statfs } from 'node:fs/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { sumUnlinkedBytes } from '../attachments/unlinked-store'
import { sumBlobBytes } from '../blobs/store'
import type { Database, DatabaseStats } from '../database/database'
import { countPendingDeletions } from '../deletions/store'

const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** One answered request. */
export interface ServedRequest {
  /** Name of the operation, `other` for what is none. */
  operation: string
  status: number
  durationSeconds: number
}

/** Why a connection is ended without a response of an operation. */
export type ConnectionEnd = 'CROWDED' | 'HEADERS_TOO_LARGE' | 'NOT_HTTP' | 'TOO_SLOW'

/** Limits for clients; `Budgets` has the settings. */
export type Budget = 'connections' | 'list' | 'metadata' | 'unlinked' | 'unsent'

/** What a clean-up has deleted. */
export interface CleanUp {
  runs: number
  attachments: number
}

/**
 * What the service counts of itself, in the text format of Prometheus. It has sums alone: no name, number or address of
 * anything that is stored.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Counter({
    name: 'runledger_http_requests_total',
    help: 'Requests answered, by operation and status',
    labelNames: ['operation', 'status'],
    registers: [this.#registry],
  })
  readonly #durations = new Histogram({
    name: 'runledger_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, by operation',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.#registry],
  })
  readonly #runs = new Counter({
    name: 'runledger_runs_created_total',
    help: 'Runs created since the process began',
    registers: [this.#registry],
  })
  readonly #refusals = new Counter({
    name: 'runledger_http_refused_total',
    help: 'Requests and connections refused, by the code of the error or why the connection was ended',
    labelNames: ['reason'],
    registers: [this.#registry],
  })
  readonly #budgets = new Counter({
    name: 'runledger_budget_exceeded_total',
    help: 'Requests refused, connections ended and lists cut because a client exceeded a limit',
    labelNames: ['budget'],
    registers: [this.#registry],
  })
  readonly #ingested = new Counter({
    name: 'runledger_ingested_bytes_total',
    help: 'Bytes taken in: bodies of requests that create runs, and attachments',
    labelNames: ['kind'],
    registers: [this.#registry],
  })
  readonly #cleanUpEnd = new Gauge({
    name: 'runledger_cleanup_last_end_seconds',
    help: 'When the last clean-up ended, in seconds since the Unix epoch; 0 before the first',
    registers: [this.#registry],
  })
  readonly #cleanUpDeleted = new Counter({
    name: 'runledger_cleanup_deleted_total',
    help: 'Records that clean-ups deleted: runs by retention, attachments that were never linked',
    labelNames: ['kind'],
    registers: [this.#registry],
  })
  readonly #setStorage = registerStorageFigures(this.#registry)
  #watchesProcess = false

  constructor() {
    this.countCleanUp({ runs: 0, attachments: 0 }, 0)
  }

  countRequest({ operation, status, durationSeconds }: ServedRequest): void {
    this.#requests.inc({ operation, status })
    this.#durations.observe({ operation }, durationSeconds)
  }

  countRefusal(reason: ErrorCode | ConnectionEnd): void {
    this.#refusals.inc({ reason })
  }

  countExceeded(budget: Budget): void {
    this.#budgets.inc({ budget })
  }

  countBytes(kind: 'run' | 'attachment', bytes: number): void {
    this.#ingested.inc({ kind }, bytes)
  }

  countRun(): void {
    this.#runs.inc()
  }

  countCleanUp(deleted: CleanUp, endedAtSeconds: number): void {
    for (const [kind, count] of Object.entries(deleted)) this.#cleanUpDeleted.inc({ kind }, count)
    this.#cleanUpEnd.set(endedAtSeconds)
  }

  /** Adds a gauge that is read at each scrape. */
  watch({ name, help, read }: { name: string; help: string; read: () => number }): void {
    const collect = function (this: Gauge) {
      this.set(read())
    }
    this.#registry.registerMetric(new Gauge({ name, help, registers: [], collect }))
  }

  /** Everything as text, with the figures of the storage as they are now. */
  async format(storage: StorageFigures): Promise<{ contentType: string; text: string }> {
    this.#watchProcess()
    this.#setStorage(storage)
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() }
  }

  // It wakes the process many times a second, so only where somebody looks.
  #watchProcess(): void {
    if (this.#watchesProcess) return
    collectDefaultMetrics({ register: this.#registry })
    this.#watchesProcess = true
  }
}

const ROWS_READ_AGAIN_AFTER_MS = 60_000

export interface StorageFigures extends DatabaseStats {
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

/** Returns what puts the figures of a moment into the registry. */
function registerStorageFigures(registry: Registry): (figures: StorageFigures) => void {
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

/** Reads the figures of now; what is counted from rows, once a minute at most, and once for all who ask meanwhile. */
export function createFiguresReader(database: Database, dataDir: string): () => Promise<StorageFigures> {
  let rows: Promise<RowFigures> | undefined
  let readAtMs = -Infinity
  return async () => {
    if (!rows || performance.now() - readAtMs >= ROWS_READ_AGAIN_AFTER_MS) {
      readAtMs = performance.now()
      rows = readRows(database)
      // The next who asks tries again.
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
