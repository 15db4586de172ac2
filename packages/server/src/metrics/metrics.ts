import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

const BYTES_READ_AGAIN_AFTER_MS = 60_000
const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** One answered request. */
export interface ServedRequest {
  /** Name of the operation, `other` for what is none. */
  operation: string
  status: number
  durationSeconds: number
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
  readonly #storedBytes = new Gauge({
    name: 'runledger_blob_stored_bytes',
    help: 'Bytes of attachments on record, equal bytes counted once; at most a minute old',
    registers: [this.#registry],
  })
  #bytesReadAtMs = -Infinity
  #watchesProcess = false

  countRequest({ operation, status, durationSeconds }: ServedRequest): void {
    this.#requests.inc({ operation, status })
    this.#durations.observe({ operation }, durationSeconds)
  }

  countRun(): void {
    this.#runs.inc()
  }

  /** Everything as text; `readStoredBytes` is asked once a minute at most: it looks at every stored file's record. */
  async format(readStoredBytes: () => Promise<number>): Promise<{ contentType: string; text: string }> {
    this.#watchProcess()
    const nowMs = performance.now()
    if (nowMs - this.#bytesReadAtMs >= BYTES_READ_AGAIN_AFTER_MS) {
      this.#storedBytes.set(await readStoredBytes())
      this.#bytesReadAtMs = nowMs
    }
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() }
  }

  // It wakes the process many times a second, so only where somebody looks.
  #watchProcess(): void {
    if (this.#watchesProcess) return
    collectDefaultMetrics({ register: this.#registry })
    this.#watchesProcess = true
  }
}
