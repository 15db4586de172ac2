import type { OutputEntry } from '@runledger/core'
import { addOutput } from '@runledger/core/link'
import { isRepeated } from './framework-types'
import type { TestAnnotation, TestArtifact, TestCase, UserConsoleLog } from './framework-types'
import { ModuleClock, type ModuleTimes } from './module-clock'

/** What hooks tell only while tests run; the mapping needs it beside Vitest's final state. */
export interface Notes {
  /** Console output of a test or a module, by its id. */
  readOutput(taskId: string): OutputEntry[]
  /** Index, from 0, of the try that recorded an annotation or artifact; undefined when it was not heard live. */
  readTry(recorded: TestAnnotation | TestArtifact): number | undefined
  /** Undefined for a module that never began. */
  readTimes(moduleId: string): ModuleTimes | undefined
  /** Folder that tests put what they attach into; undefined where there is none. */
  readonly channelFolder?: string | undefined
}

/** Collects, while tests run, what Vitest does not keep. */
export class LiveNotes implements Notes {
  readonly clock: ModuleClock
  readonly #output = new Map<string, OutputEntry[]>()
  readonly #tries = new WeakMap<TestAnnotation | TestArtifact, number>()

  constructor(
    now: () => number,
    readonly channelFolder?: string | undefined,
  ) {
    this.clock = new ModuleClock(now)
  }

  addOutput(log: UserConsoleLog): void {
    const taskId = log.taskId ?? ''
    const entries = this.#output.get(taskId) ?? []
    addOutput(entries, { stream: log.type, text: log.content, atMs: log.time, origin: log.origin })
    this.#output.set(taskId, entries)
  }

  /**
   * Vitest sends a test's state ahead of each annotation and artifact, so the counters of this moment tell its try;
   * a replay of blobs has only the final ones, which tell nothing, and those of a repeated test count repetitions too.
   */
  addRecorded(testCase: TestCase, recorded: TestAnnotation | TestArtifact): void {
    const diagnostic = testCase.diagnostic()
    if (diagnostic && testCase.result().state === 'pending' && !isRepeated(testCase)) {
      this.#tries.set(recorded, diagnostic.retryCount)
    }
  }

  readOutput(taskId: string): OutputEntry[] {
    return this.#output.get(taskId) ?? []
  }

  readTry(recorded: TestAnnotation | TestArtifact): number | undefined {
    return this.#tries.get(recorded)
  }

  readTimes(moduleId: string): ModuleTimes | undefined {
    return this.clock.read(moduleId)
  }
}
