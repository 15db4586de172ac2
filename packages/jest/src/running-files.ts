import type { Suite } from '@runledger/core'
import type { JestCaseResult, JestCaseStart, JestTest } from './jest-types'

export type CaseEvent = JestCaseStart | JestCaseResult

export interface RunningFile {
  test: JestTest
  startedAtMs: number
  /** Another project ran the same path at once: its case events are dropped. */
  isShared: boolean
  caseEvents: CaseEvent[]
  /** What core was given before the file's end, and from how many events. */
  kept?: { suite: Suite; eventCount: number } | undefined
}

export class RunningFiles {
  readonly #byPath = new Map<string, RunningFile[]>()

  start(test: JestTest, startedAtMs: number): void {
    const others = this.#byPath.get(test.path) ?? []
    for (const other of others) Object.assign(other, { isShared: true, caseEvents: [] })
    const file: RunningFile = { test, startedAtMs, isShared: others.length > 0, caseEvents: [] }
    this.#byPath.set(test.path, [...others, file])
  }

  /** By path: the context of a case event is that of any project. */
  addCaseEvent({ path }: JestTest, event: CaseEvent): void {
    const [file] = this.#byPath.get(path) ?? []
    if (file?.isShared === false) file.caseEvents.push(event)
  }

  /** Undefined if its start was not reported. */
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

/** True for a shared file, because nothing is known about it. */
export function hasStartedTests({ caseEvents, isShared }: RunningFile): boolean {
  return isShared || caseEvents.length > 0
}
