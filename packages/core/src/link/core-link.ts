import type { Execution, ExecutionResult } from '../execution'
import type { Problem, Suite } from '../suite'
import { messageOf } from '../summary/tell-user'

/**
 * An execution of core's that is opened on first use: core and all that it needs are loaded only when there is
 * something to put on record. Nothing here throws, and no promise is left to reject by itself.
 */
export class CoreLink {
  #execution: Promise<Execution> | undefined
  #failure: unknown

  constructor(
    private readonly open: () => Promise<Execution>,
    private readonly warn: (line: string) => void,
  ) {}

  /** Begins to load core, if that has not begun. */
  prepare(): void {
    if (this.#execution !== undefined) return
    this.#execution = this.open()
    this.#execution.catch((error: unknown) => this.#fail(error))
  }

  addSuite(suite: Suite): void {
    this.#tell((execution) => execution.addSuite(suite))
  }

  addProblem(problem: Problem): void {
    this.#tell((execution) => execution.addProblem(problem))
  }

  /** Delivers what was added; undefined when there was nothing, or when core could not be used. */
  async finish(): Promise<ExecutionResult | undefined> {
    try {
      return await (await this.#execution)?.finish()
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  #tell(action: (execution: Execution) => void): void {
    this.prepare()
    this.#execution?.then(action).catch((error: unknown) => this.#fail(error))
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.warn(`nothing is put on record: ${messageOf(error)}`)
  }
}
