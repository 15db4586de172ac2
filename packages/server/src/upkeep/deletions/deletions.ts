import { setTimeout as sleep } from 'node:timers/promises'
import { type BlobParts, removeBlobs } from '../../record/files/blobs/store'
import { deleteRest, deleteRunsByKey, type Deletion, findDeletion, listRunsOf } from './store'

// Length of a transaction, and of the pause after it, in which others write.
const BATCH_MS = 15
const FIRST_RUNS = 10
const MOST_RUNS = 100
// Deleted records are in no response; small deletions are even complete when answered.
const ANSWER_AFTER_MS = 2_000

// A failed deletion is left for later; if this many fail, the cause lies elsewhere.
const MOST_SKIPPED = 20

interface Deleted {
  orphans: string[]
  tookMs: number
}

/** Works step by step, and continues after a restart. */
export class Deletions {
  readonly #parts: BlobParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #isWokenAgain = false
  #runsAtOnce = FIRST_RUNS

  constructor(parts: BlobParts) {
    this.#parts = parts
  }

  /** Deletes what is marked now; resolves when nothing is left. */
  run(): Promise<void> {
    this.#isWokenAgain = true
    this.#running ??= this.#deleteAll()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#parts.log.error('Deleting rows failed; it goes on later', error)
      })
      .finally(() => {
        this.#running = undefined
        if (this.#isWokenAgain && !this.#stopping.signal.aborted) void this.run()
      })
    return this.#running
  }

  /** Like `run`, but stops waiting for a long deletion, so that the response can be sent. */
  async settle(): Promise<void> {
    const answered = new AbortController()
    const late = sleep(ANSWER_AFTER_MS, undefined, { signal: answered.signal }).catch(() => undefined)
    await Promise.race([this.run(), late])
    answered.abort()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #deleteAll(): Promise<void> {
    while (this.#isWokenAgain) {
      this.#isWokenAgain = false
      const skipped: number[] = []
      let removing: Promise<void> = Promise.resolve()
      for (let some = await this.#deleteSome(skipped); some; some = await this.#deleteSome(skipped)) {
        await removing
        removing = removeBlobs(this.#parts, some.orphans)
        await sleep(some.tookMs)
      }
      await removing
    }
  }

  /** One transaction; undefined if nothing is left, or the service stops. */
  async #deleteSome(skipped: number[]): Promise<Deleted | undefined> {
    const { query } = this.#parts.database
    const deletion = this.#stopping.signal.aborted ? undefined : await findDeletion(query, skipped)
    if (!deletion) return undefined
    const runs = await listRunsOf(query, deletion, { limit: this.#runsAtOnce, skipped })
    try {
      return await this.#deleteTogether(deletion, runs)
    } catch (error) {
      if (this.#stopping.signal.aborted || skipped.length === MOST_SKIPPED) throw error
      // Smaller steps take less time, and show which run fails.
      if (runs.length > 1) this.#runsAtOnce = Math.ceil(runs.length / 2)
      else {
        this.#parts.log.error(`Rows of a deleted ${deletion.kind} remain until later`, error)
        skipped.push(deletion.kind === 'run' ? (runs[0] ?? deletion.record_id) : deletion.record_id)
      }
      return { orphans: [], tookMs: BATCH_MS }
    }
  }

  #deleteTogether(deletion: Deletion, runs: readonly number[]): Promise<Deleted> {
    return this.#parts.database.write(async ({ query }) => {
      const startedAt = performance.now()
      const orphans = runs.length > 0 ? await deleteRunsByKey(query, runs) : await deleteRest(query, deletion)
      const tookMs = performance.now() - startedAt
      if (runs.length === this.#runsAtOnce) this.#adapt(tookMs)
      return { orphans, tookMs }
    })
  }

  #adapt(tookMs: number): void {
    const fitting = Math.round((this.#runsAtOnce * BATCH_MS) / Math.max(tookMs, 1))
    this.#runsAtOnce = Math.min(MOST_RUNS, this.#runsAtOnce * 2, Math.max(1, fitting))
  }
}
