import type { Execution, ExecutionFacts, ExecutionResult } from '../execution'
import type { Options } from '../config/options'
import type { Problem, Suite } from '../model/suite'
import { messageOf, tellUser } from '../util/tell-user'

/** Longest wait for the disk in a framework's hook, in milliseconds; a write takes a few. */
const SETTLING_MS = 2_000

const INCOMPLETE = 'a part of this execution is not on record'

/** What a reporter uses of core. */
export interface Core {
  createExecution: (facts: ExecutionFacts, options: Options) => Execution
}

export type CoreLoader = () => Core | Promise<Core>

export interface CoreLinkPlan {
  /**
   * `() => import('@runledger/core')`, written in the reporter, which that name is looked up from; one that answers at
   * once for a framework that waits for nobody.
   */
  load: CoreLoader
  /** Asked once, when core has been loaded. */
  facts: () => ExecutionFacts
  options: Options
  /** Tells the user one line; by default on stderr. */
  warn?: ((line: string) => void) | undefined
}

/**
 * An execution of core's that is opened on first use: core and all that it needs are loaded only when there is
 * something to put on record. Nothing here throws, and no promise is left to reject by itself.
 */
export class CoreLink {
  #execution: Promise<Execution> | undefined
  /** There at once when core is loaded at once. */
  #opened: Execution | undefined
  /** What core has been told so far, in order. */
  #told: Promise<void> = Promise.resolve()
  #isPatient = true
  #hasFailed = false

  constructor(private readonly plan: CoreLinkPlan) {}

  /** Begins to load core, if that has not begun. */
  prepare(): void {
    if (this.#execution !== undefined) return
    this.#execution = this.#open()
    this.#execution.catch((error: unknown) => this.#fail('nothing is put on record', error))
  }

  addSuite(suite: Suite): void {
    this.#tell((execution) => execution.addSuite(suite))
  }

  addProblem(problem: Problem): void {
    this.#tell((execution) => execution.addProblem(problem))
  }

  prepareEnd(): void {
    this.#tell((execution) => execution.prepareEnd())
  }

  testsEnded(): void {
    this.#tell((execution) => execution.testsEnded())
  }

  /**
   * Waits until every suite added so far is on the disk, or cannot be put there: for hooks that a framework waits for,
   * so that not even a kill loses a suite that it calls finished. A disk that takes too long is not waited for again.
   */
  async settled(): Promise<void> {
    if (!this.#isPatient) return
    let timer: NodeJS.Timeout | undefined
    const tired = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, SETTLING_MS, false)
    })
    this.#isPatient = await Promise.race([this.#settle(), tired])
    clearTimeout(timer)
  }

  /** Delivers what was added; undefined when there was nothing, or when core could not be used. */
  async finish(): Promise<ExecutionResult | undefined> {
    await this.#told
    const execution = await this.#execution?.catch(() => undefined)
    try {
      return await execution?.finish()
    } catch (error) {
      this.#fail('nothing is put on record', error)
      return undefined
    }
  }

  async #settle(): Promise<true> {
    await this.#told
    const execution = await this.#execution?.catch(() => undefined)
    await execution?.settled().catch((error: unknown) => this.#fail(INCOMPLETE, error))
    return true
  }

  async #open(): Promise<Execution> {
    const { load, facts, options } = this.plan
    const loaded = load()
    if (!(loaded instanceof Promise)) return (this.#opened = loaded.createExecution(facts(), options))
    const { createExecution } = await loaded
    return createExecution(facts(), options)
  }

  #tell(action: (execution: Execution) => void): void {
    this.prepare()
    if (this.#opened !== undefined) return this.#tellAtOnce(this.#opened, action)
    const told = this.#execution?.catch(() => undefined).then((execution) => execution && action(execution))
    this.#told = Promise.all([this.#told, told]).then(
      () => undefined,
      (error: unknown) => this.#fail(INCOMPLETE, error),
    )
  }

  #tellAtOnce(execution: Execution, action: (execution: Execution) => void): void {
    try {
      action(execution)
    } catch (error) {
      this.#fail(INCOMPLETE, error)
    }
  }

  /** Once: what follows from the first failure tells nobody anything. */
  #fail(what: string, error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const warn = this.plan.warn ?? tellUser
    warn(`${what}: ${messageOf(error)}`)
  }
}
