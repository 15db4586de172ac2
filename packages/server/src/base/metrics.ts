import type { ErrorCode } from '@runledger/protocol'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

export interface ServedRequest {
  /** Name of the operation; `other` if there is none. */
  operation: string
  status: number
  durationSeconds: number
}

export type ConnectionEnd = 'CROWDED' | 'HEADERS_TOO_LARGE' | 'NOT_HTTP' | 'TOO_SLOW'

/** Limits: see `Budgets`. */
export type Budget = 'connections' | 'list' | 'metadata' | 'unlinked' | 'unsent'

export interface CleanUp {
  runs: number
  attachments: number
}

/** The service's own counts for Prometheus: sums only, nothing that reveals what is stored. */
export class Metrics {
  readonly registry = new Registry()
  readonly #requests = new Counter({
    name: 'runledger_http_requests_total',
    help: 'Requests answered, by operation and status',
    labelNames: ['operation', 'status'],
    registers: [this.registry],
  })
  readonly #durations = new Histogram({
    name: 'runledger_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, by operation',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [this.registry],
  })
  readonly #runs = new Counter({
    name: 'runledger_runs_created_total',
    help: 'Runs created since the process began',
    registers: [this.registry],
  })
  readonly #refusals = new Counter({
    name: 'runledger_http_refused_total',
    help: 'Requests and connections refused, by the code of the error or why the connection was ended',
    labelNames: ['reason'],
    registers: [this.registry],
  })
  readonly #budgets = new Counter({
    name: 'runledger_budget_exceeded_total',
    help: 'Requests refused, connections ended and lists cut because a client exceeded a limit',
    labelNames: ['budget'],
    registers: [this.registry],
  })
  readonly #ingested = new Counter({
    name: 'runledger_ingested_bytes_total',
    help: 'Bytes taken in: bodies of requests that create runs, and attachments',
    labelNames: ['kind'],
    registers: [this.registry],
  })
  readonly #cleanUpEnd = new Gauge({
    name: 'runledger_cleanup_last_end_seconds',
    help: 'When the last clean-up ended, in seconds since the Unix epoch; 0 before the first',
    registers: [this.registry],
  })
  readonly #cleanUpDeleted = new Counter({
    name: 'runledger_cleanup_deleted_total',
    help: 'Records that clean-ups deleted: runs by retention, attachments that were never linked',
    labelNames: ['kind'],
    registers: [this.registry],
  })
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

  /** `read` runs at each scrape. */
  watch({ name, help, read }: { name: string; help: string; read: () => number }): void {
    const collect = function (this: Gauge) {
      this.set(read())
    }
    this.registry.registerMetric(new Gauge({ name, help, registers: [], collect }))
  }

  async format(): Promise<{ contentType: string; text: string }> {
    this.#watchProcess()
    return { contentType: this.registry.contentType, text: await this.registry.metrics() }
  }

  // Started at the first scrape, because it wakes the process many times a second.
  #watchProcess(): void {
    if (this.#watchesProcess) return
    collectDefaultMetrics({ register: this.registry })
    this.#watchesProcess = true
  }
}
