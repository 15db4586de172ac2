import { createRequire } from 'node:module'
import type * as CoreModule from '@runledger/core'
import type { Execution, ExecutionFacts, ExecutionResult, Options, Problem, Suite } from '@runledger/core'
import { finishesWithin, messageOf } from '@runledger/core/light'
import type { HookGuard } from './hook-guard'

/** What a reporter uses of core. */
export type Core = Pick<typeof CoreModule, 'createExecution'>

/**
 * Loads core synchronously: Playwright does not await its hooks, so its worker may go on while a promise is pending. This
 * code is bundled into the reporter, whose dependency core is.
 */
export const loadCore = (): Core => createRequire(import.meta.url)('@runledger/core') as Core

export interface LazyExecutionSettings {
  load: () => Core
  /** Called once, when core has been loaded. */
  facts: () => ExecutionFacts
  options: Options
  guard: HookGuard
}

/** Longest wait for the disk in one of the framework's hooks, in milliseconds; a write takes a few. */
const SETTLING_MS = 2_000

/** An execution in core, loaded and created when there is something to put on record. Nothing here throws or rejects. */
export class LazyExecution {
  #execution: Execution | undefined
  #hasFailed = false
  #waitsForDisk = true

  constructor(private readonly settings: LazyExecutionSettings) {}

  /** Loads core and creates the execution, unless that was done or has failed before. */
  prepare(): void {
    if (this.#execution !== undefined || this.#hasFailed) return
    const { load, facts, options, guard } = this.settings
    try {
      this.#execution = load().createExecution(facts(), options)
    } catch (error) {
      this.#hasFailed = true
      guard.warn(`nothing is put on record: ${messageOf(error)}`)
    }
  }

  addSuite(suite: Suite): void {
    this.prepare()
    this.settings.guard.run(() => this.#execution?.addSuite(suite))
  }

  addProblem(problem: Problem): void {
    this.prepare()
    this.settings.guard.run(() => this.#execution?.addProblem(problem))
  }

  /**
   * Waits until every suite added so far is on disk or cannot be written, so that not even a kill loses a suite whose hook
   * has ended. Gives up on a disk that hangs; later calls then do not wait.
   */
  async settled(): Promise<void> {
    const execution = this.#execution
    if (execution === undefined || !this.#waitsForDisk) return
    const settled = this.settings.guard.runAsync(() => execution.settled())
    this.#waitsForDisk = await finishesWithin(settled, SETTLING_MS)
  }

  /** Delivers what was added; undefined when there was nothing, or when core could not be used. */
  finish(): Promise<ExecutionResult | undefined> {
    return this.settings.guard.runAsync(async () => {
      // A shard without tests is not missing: core tells the service so.
      if (this.settings.facts().shard !== undefined) this.prepare()
      return this.#execution?.finish()
    })
  }
}
