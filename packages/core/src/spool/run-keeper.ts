import pLimit from 'p-limit'
import type { DeliverableRun } from '../delivery/deliverable-run'
import type { RefusedRun } from '../delivery/run-delivery'
import {
  collectRunSources,
  createRunSource,
  deriveRunKey,
  isOnRecord,
  isPassed,
  type RunSource,
} from '../run/run-source'
import type { Suite } from '../suite'
import { KeptRun, type KeptRunSettings } from './kept-run'
import { SpoolError } from './spool-error'

/** A disk that takes longer for one suite is not waited for again, in milliseconds. */
const QUICK_MS = 500

/** Few at a time: the framework's own file work waits in the same queue of the process. */
const WRITES_AT_ONCE = 3

/**
 * Puts every suite into the spool as soon as it has finished, behind the framework's back: `add` returns at once and
 * nothing here rejects. Where the spool cannot be written, runs are made from memory at the end.
 */
export class RunKeeper {
  readonly #runs = new Map<Suite | string, KeptRun>()
  readonly #queues = new Map<KeptRun, Promise<void>>()
  readonly #shared = new Map<Suite | string, RunSource>()
  readonly #limit = pLimit(WRITES_AT_ONCE)
  #failure: unknown
  #isQuick = false

  constructor(private readonly settings: KeptRunSettings) {}

  /** Why the spool cannot be used, once that has shown. */
  get failure(): unknown {
    return this.#failure
  }

  /** Finds out what suites can be kept at once with: the surroundings, and a spool that answers. */
  async prepare(): Promise<void> {
    const { builder, spool } = this.settings
    const [isQuick] = await Promise.all([spool.isQuick(), builder.prepare()])
    this.#isQuick = isQuick
  }

  /** Writes a suite down before it returns, if that can be done without holding anybody up; `add` does it for good. */
  keepAtOnce(suite: Suite): void {
    if (!this.#isQuick || this.#failure !== undefined) return
    const key = deriveRunKey(suite, this.settings.options.runPer)
    const isShared = typeof key === 'string'
    const source = isShared ? this.#addToSource(key, suite) : createRunSource(key, suite)
    if (!isShared && !isOnRecord(source)) return
    const startedAtMs = performance.now()
    try {
      this.#openRun(key).keepAtOnce(suite, source)
    } catch {
      // What is wrong shows again behind the framework's back, and is told at the end.
    }
    this.#isQuick = performance.now() - startedAtMs < QUICK_MS
  }

  /** Begins to write a suite down; one that has changed since must be added again, and is written over. */
  add(suite: Suite): void {
    const key = deriveRunKey(suite, this.settings.options.runPer)
    const run = this.#openRun(key)
    run.noteChange()
    if (typeof key !== 'string') {
      const source = createRunSource(key, suite)
      if (isOnRecord(source)) this.#enqueue(run, async () => void (await run.keepWhole(source)))
      return
    }
    const source = this.#addToSource(key, suite)
    this.#enqueue(run, () => run.keepPart(suite, { ...source, suites: [...source.suites] }))
  }

  /** Waits until all that was added is on the disk, or cannot be put there. */
  async settled(): Promise<void> {
    await Promise.all(this.#queues.values())
  }

  /**
   * The runs as they are in the end, each on the disk before it is answered if that can be. A spool that has not taken
   * them when the signal aborts (a network folder that hangs) is left alone from then on.
   */
  async close(
    suites: readonly Suite[],
    signal: AbortSignal,
  ): Promise<{ runs: DeliverableRun[]; refused: RefusedRun[] }> {
    const sources = this.#collect(suites)
    const kept = await Promise.race([this.#keepAll(sources), once(signal)])
    if (kept) return sort(kept)
    this.#failure = new SpoolError('it does not answer')
    for (const run of this.#runs.values()) run.abandonSpool()
    return sort(await Promise.all([...sources].map(([key, source]) => this.#finish(key, source))))
  }

  #collect(suites: readonly Suite[]): Map<Suite | string, RunSource> {
    const { runPer } = this.settings.options
    const sources = collectRunSources(suites, runPer).filter(isOnRecord)
    return new Map(sources.map((source) => [deriveRunKey(source.suites[0] as Suite, runPer), source]))
  }

  async #keepAll(sources: Map<Suite | string, RunSource>): Promise<(DeliverableRun | RefusedRun)[]> {
    await this.settled()
    for (const [key, run] of this.#runs) if (!sources.has(key)) await run.discard()
    return Promise.all([...sources].map(([key, source]) => this.#limit(() => this.#finish(key, source))))
  }

  async #finish(key: Suite | string, source: RunSource): Promise<DeliverableRun | RefusedRun> {
    const run = this.#openRun(key)
    try {
      return await this.#keepOrBuild(run, source)
    } catch (error) {
      await run.discard()
      return { status: 'failed', passed: isPassed(source), error }
    }
  }

  async #keepOrBuild(run: KeptRun, source: RunSource): Promise<DeliverableRun> {
    if (this.#failure !== undefined) return run.buildFromMemory(source)
    try {
      return await run.keepWhole(source)
    } catch (error) {
      if (!(error instanceof SpoolError)) throw error
      this.#failure = error
      return run.buildFromMemory(source)
    }
  }

  #openRun(key: Suite | string): KeptRun {
    const run = this.#runs.get(key) ?? new KeptRun(this.settings)
    this.#runs.set(key, run)
    return run
  }

  #addToSource(key: string, suite: Suite): RunSource {
    const known = this.#shared.get(key)
    if (known && !known.suites.includes(suite)) known.suites.push(suite)
    const source = known ?? createRunSource(key, suite)
    this.#shared.set(key, source)
    return source
  }

  /** One thing at a time for each run. What goes wrong shows again at the end, and is told then. */
  #enqueue(run: KeptRun, write: () => Promise<void>): void {
    const before = this.#queues.get(run) ?? Promise.resolve()
    const next = before.then(() => this.#limit(() => this.#attempt(write)))
    this.#queues.set(run, next)
  }

  async #attempt(write: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) return
    try {
      await write()
    } catch (error) {
      if (error instanceof SpoolError) this.#failure ??= error
    }
  }
}

function sort(results: readonly (DeliverableRun | RefusedRun)[]): {
  runs: DeliverableRun[]
  refused: RefusedRun[]
} {
  return {
    runs: results.filter((result) => 'submissionId' in result),
    refused: results.filter((result) => 'error' in result),
  }
}

function once(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
