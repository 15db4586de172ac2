import type { OutputEntry } from '@runledger/core'
import { addOutput } from '@runledger/reporter-kit'
import type { TestAnnotation, TestArtifact, TestCase, UserConsoleLog } from './framework-types'
import { isRepeated, readDiagnostic, readResult } from './read-entity'

/** By the reporter's own clock, in milliseconds since the Unix epoch. */
export interface ModuleTimes {
  startedAtMs: number
  endedAtMs?: number | undefined
}

/** What Vitest reports only while tests run. */
export interface Notes {
  readOutput(taskId: string): OutputEntry[]
  /** Index, from 0, of the attempt; undefined if it was not seen live. */
  readAttemptIndex(recorded: TestAnnotation | TestArtifact): number | undefined
  readTimes(moduleId: string): ModuleTimes | undefined
  readonly channelFolder?: string | undefined
}

/** Collects what Vitest does not keep until the end. */
export class LiveNotes implements Notes {
  readonly #times = new Map<string, ModuleTimes>()
  /** Output without a test or module is under undefined, and is not read. */
  readonly #output = new Map<string | undefined, OutputEntry[]>()
  readonly #attemptIndexes = new WeakMap<TestAnnotation | TestArtifact, number>()

  constructor(
    private readonly now: () => number,
    readonly channelFolder?: string | undefined,
  ) {}

  startModule(moduleId: string): void {
    this.#keepTimes(moduleId)
  }

  endModule(moduleId: string): void {
    this.#keepTimes(moduleId).endedAtMs ??= this.now()
  }

  #keepTimes(moduleId: string): ModuleTimes {
    const times = this.#times.get(moduleId) ?? { startedAtMs: this.now() }
    this.#times.set(moduleId, times)
    return times
  }

  addOutput(log: UserConsoleLog): void {
    const { taskId } = log
    const entries = this.#output.get(taskId) ?? []
    addOutput(entries, { stream: log.type, text: log.content, atMs: log.time, origin: log.origin })
    this.#output.set(taskId, entries)
  }

  /**
   * Vitest sends a test's state before each annotation, so its retry count is that of the attempt. Not for repeated
   * tests, which count repetitions, nor for merged blobs.
   */
  addRecorded(testCase: TestCase, recorded: TestAnnotation | TestArtifact): void {
    const diagnostic = readDiagnostic(testCase)
    if (diagnostic && readResult(testCase).state === 'pending' && !isRepeated(testCase))
      this.#attemptIndexes.set(recorded, diagnostic.retryCount)
  }

  readOutput(taskId: string): OutputEntry[] {
    return this.#output.get(taskId) ?? []
  }

  readAttemptIndex(recorded: TestAnnotation | TestArtifact): number | undefined {
    return this.#attemptIndexes.get(recorded)
  }

  readTimes(moduleId: string): ModuleTimes | undefined {
    return this.#times.get(moduleId)
  }
}
