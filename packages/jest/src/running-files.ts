import type { Suite } from '@runledger/core'
import type { JestCaseResult, JestCaseStart, JestTest } from './jest-types'

/** What Jest reports of a test case while its file runs: the start or the end of an attempt. */
export type CaseEvent = JestCaseStart | JestCaseResult

/** A test file between its start and its result. */
export interface RunningFile {
  test: JestTest
  startedAtMs: number
  /** Another project ran the same path at the same time: case events cannot be assigned and are dropped. */
  isShared: boolean
  caseEvents: CaseEvent[]
  /** What core was given of it before its end, and of how many events that was made. */
  kept?: { suite: Suite; eventCount: number } | undefined
}

/** The test files under way, with the case events of each. */
export class RunningFiles {
  readonly #byPath = new Map<string, RunningFile[]>()

  start(test: JestTest, startedAtMs: number): void {
    const others = this.#byPath.get(test.path) ?? []
    for (const other of others) Object.assign(other, { isShared: true, caseEvents: [] })
    const file: RunningFile = { test, startedAtMs, isShared: others.length > 0, caseEvents: [] }
    this.#byPath.set(test.path, [...others, file])
  }

  /** Finds the file by path: the context of a case event is that of an arbitrary project. */
  addCaseEvent({ path }: JestTest, event: CaseEvent): void {
    const [file] = this.#byPath.get(path) ?? []
    if (file?.isShared === false) file.caseEvents.push(event)
  }

  /** Removes a file and returns it; undefined when its start was never reported. */
  finish(test: JestTest): RunningFile | undefined {
    const files = this.#byPath.get(test.path) ?? []
    const finished = files.find((file) => file.test.context.config.id === test.context.config.id)
    this.#byPath.set(
      test.path,
      files.filter((file) => file !== finished),
    )
    return finished
  }

  list(): RunningFile[] {
    return [...this.#byPath.values()].flat()
  }
}

/** True once a test of the file has started, and for a shared file, of which nothing is known. */
export function hasStartedTests({ caseEvents, isShared }: RunningFile): boolean {
  return isShared || caseEvents.length > 0
}
