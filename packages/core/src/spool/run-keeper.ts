import pLimit from 'p-limit'
import type { DeliverableRun } from '../delivery/deliverable-run'
import type { RefusedRun } from '../delivery/run-delivery'
import { isOnRecord, RunSources, type RunSource } from '../record/run-source'
import type { Suite } from '../model/suite'
import { startTimeLimit } from '../util/time-limit'
import { KeptRun, type KeptRunSettings } from './kept-run'
import { SpoolError } from './spool-error'

/** Few at a time: the framework's own file work waits in the same queue of the process. */
const WRITES_AT_ONCE = 3

/**
 * How long uploads under way are waited for at the end, as what the service has need not be synced: a part of the
 * patience that there is with the spool, and not longer than so many milliseconds.
 */
const SETTLING_PART = 1 / 5
const LONGEST_SETTLING_MS = 5_000

/**
 * Puts every suite into the spool as soon as it has finished, behind the framework's back: `add` returns at once and
 * nothing here rejects. Where the spool cannot be written, runs are made from memory at the end.
 */
export class RunKeeper {
  /** In the order of their first suites. */
  readonly #runs = new Set<KeptRun>()
  readonly #runOfSuite = new WeakMap<Suite, KeptRun>()
  readonly #sharedRuns = new Map<string, KeptRun>()
  readonly #sources: RunSources
  readonly #queues = new Map<KeptRun, Promise<void>>()
  readonly #limit = pLimit(WRITES_AT_ONCE)
  #failure: unknown
  #isPrepared = false
  /** Taken already, by `keepAtOnce`. */
  #taken: KeptRun | undefined
  #isClosing = false

  constructor(private readonly settings: KeptRunSettings) {
    this.#sources = new RunSources(settings.options.runPer)
  }

  /** Why the spool cannot be used, once that has shown. */
  get failure(): unknown {
    return this.#failure
  }

  /** Finds out what suites can be kept at once with: the surroundings, and a spool that answers. */
  async prepare(): Promise<void> {
    const { builder, spool } = this.settings
    await Promise.all([spool.isQuick(), builder.prepare()])
    this.#isPrepared = true
  }

  /** Writes a suite down before it returns, if that can be done without holding anybody up; `add` does it for good. */
  keepAtOnce(suite: Suite): void {
    if (!this.#isPrepared || !this.settings.spool.disk.isQuick || this.#failure !== undefined) return
    const { run, source, isShared } = this.#place(suite)
    if (!isShared && !isOnRecord(source)) return
    try {
      if (run.keepAtOnce(suite, source)) this.#taken = run
    } catch {
      // What is wrong shows again behind the framework's back, and is told at the end.
    }
  }

  /** Begins to write a suite down; one that has changed since must be added again, and is written over. */
  add(suite: Suite): void {
    const { run, source, isShared } = this.#place(suite)
    if (run.isOut) return
    const isTold = isOnRecord(source)
    if (isTold) {
      if (this.#taken !== run) run.take(source)
      this.#taken = undefined
      this.#runs.add(run)
    }
    if (isShared) this.#enqueue(run, () => run.keepPart(suite, { ...source, suites: [...source.suites] }))
    else if (isTold) this.#enqueue(run, () => this.#keep(run))
    else if (this.#runs.delete(run)) this.#enqueue(run, () => run.discard())
  }

  async #keep(run: KeptRun): Promise<void> {
    const whole = await run.keepWhole()
    if (!this.#isClosing) await run.syncFiles(whole)
  }

  /** Waits until all that was added is on the disk, or cannot be put there. */
  async settled(): Promise<void> {
    await Promise.all(this.#queues.values())
  }

  /** Waits until what was added is safe from a crash of the machine too. @throws SpoolError */
  async sync(): Promise<void> {
    await this.settled()
    await this.settings.spool.syncSheet()
  }

  /**
   * Runs of one suite that are on the disk, to be sent while others may still come; they change no more. None where the
   * spool fails: that shows again at the end. Never rejects.
   */
  async giveOut(): Promise<DeliverableRun[]> {
    await this.settled()
    const shared = new Set(this.#sharedRuns.values())
    const own = [...this.#runs].filter((run) => !shared.has(run))
    const given = own.map((run) => run.giveOut()).filter((run) => run !== undefined)
    try {
      await this.settings.spool.syncSheet()
      return this.#failure === undefined ? given : []
    } catch {
      return []
    }
  }

  /**
   * The runs as they are in the end, each on the disk before it is answered if that can be. A spool that has not taken
   * them after so many milliseconds (a network folder that hangs) is left alone from then on.
   */
  async close(patienceMs: number): Promise<{ runs: DeliverableRun[]; refused: RefusedRun[] }> {
    this.#isClosing = true
    const patience = startTimeLimit(patienceMs)
    const settlingMs = Math.min(LONGEST_SETTLING_MS, patienceMs * SETTLING_PART)
    const kept = await Promise.race([this.#keepAll(settlingMs), once(patience.signal)]).finally(() =>
      patience.stop(),
    )
    if (kept) return sort(kept)
    this.#failure = new SpoolError('it does not answer')
    this.settings.spool.abandonSheet()
    for (const run of this.#runs) run.abandonSpool()
    return sort(await Promise.all([...this.#runs].map((run) => this.#finish(run))))
  }

  async #keepAll(settlingMs: number): Promise<(DeliverableRun | RefusedRun)[]> {
    await this.settled()
    if ([...this.#runs].some((run) => run.hasUnsynced)) await this.settings.early.settled(settlingMs)
    // Parts of a run whose tests were all skipped.
    for (const run of this.#sharedRuns.values()) if (!this.#runs.has(run)) await run.discard()
    return Promise.all([...this.#runs].map((run) => this.#limit(() => this.#finish(run))))
  }

  async #finish(run: KeptRun): Promise<DeliverableRun | RefusedRun> {
    try {
      return await this.#keepOrBuild(run)
    } catch (error) {
      await run.discard()
      return { status: 'failed', passed: run.isPassed, error }
    }
  }

  async #keepOrBuild(run: KeptRun): Promise<DeliverableRun> {
    if (this.#failure !== undefined) return run.buildFromMemory()
    try {
      const whole = await run.keepToDeliver()
      await this.settings.spool.syncSheet()
      return whole
    } catch (error) {
      if (!(error instanceof SpoolError)) throw error
      this.#failure = error
      return run.buildFromMemory()
    }
  }

  /** The run of a suite, and what it is made of now. */
  #place(suite: Suite): { run: KeptRun; source: RunSource; isShared: boolean } {
    const { key, source } = this.#sources.add(suite)
    const isShared = typeof key === 'string'
    const known = isShared ? this.#sharedRuns.get(key) : this.#runOfSuite.get(suite)
    const run = known ?? new KeptRun(this.settings)
    if (isShared) this.#sharedRuns.set(key, run)
    else this.#runOfSuite.set(suite, run)
    return { run, source, isShared }
  }

  /** One thing at a time for each run. What goes wrong shows again at the end, and is told then. */
  #enqueue(run: KeptRun, write: () => Promise<void>): void {
    const before = this.#queues.get(run) ?? Promise.resolve()
    const next = before.then(() => this.#limit(() => this.#attempt(write)))
    this.#queues.set(run, next)
    void this.#forget(run, next)
  }

  /** Whoever waits need not ask what has long been done. */
  async #forget(run: KeptRun, written: Promise<void>): Promise<void> {
    await written
    if (this.#queues.get(run) === written) this.#queues.delete(run)
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
