import { createRequire } from 'node:module'
import type * as CoreModule from '@runledger/core'
import type {
  Execution,
  ExecutionFacts,
  ExecutionResult,
  FrameworkEnd,
  Options,
  Problem,
  Suite,
} from '@runledger/core'
import { finishesWithin, messageOf } from '@runledger/core/light'
import type { HookGuard } from './hook-guard'

export type Core = Pick<typeof CoreModule, 'createExecution'>

/** Synchronous, because Playwright does not await its hooks. This code is bundled into the reporter, which depends on core. */
export const loadCore = (): Core => createRequire(import.meta.url)('@runledger/core') as Core

export interface LazyExecutionSettings {
  load: () => Core
  /** Called once, after core is loaded. */
  facts: () => ExecutionFacts
  options: Options
  guard: HookGuard
}

/** The longest wait for the disk in a hook; a write takes a few milliseconds. */
const SETTLING_MS = 2_000

/** An execution in core, loaded when there is something to record. Never throws or rejects. */
export class LazyExecution {
  #execution: Execution | undefined
  #hasFailed = false
  #waitsForDisk = true

  constructor(private readonly settings: LazyExecutionSettings) {}

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

  /** Waits until every suite is on disk, so that even a kill does not lose it. Gives up on a hanging disk. */
  async settled(): Promise<void> {
    const execution = this.#execution
    if (execution === undefined || !this.#waitsForDisk) return
    const settled = this.settings.guard.runAsync(() => execution.settled())
    this.#waitsForDisk = await finishesWithin(settled, SETTLING_MS)
  }

  #addDefects(end: FrameworkEnd): FrameworkEnd {
    if (!this.settings.guard.hasWarned) return end
    return { ...end, otherReasons: [...end.otherReasons, 'a part of the execution may not be on record'] }
  }

  /** Undefined if there was nothing to deliver, or core failed. `end` lets core decide on quarantined failures. */
  finish(end?: FrameworkEnd): Promise<ExecutionResult | undefined> {
    return this.settings.guard.runAsync(async () => {
      // A shard without tests is not missing: core reports it.
      if (this.settings.facts().shard !== undefined) this.prepare()
      return this.#execution?.finish(end && this.#addDefects(end))
    })
  }
}
