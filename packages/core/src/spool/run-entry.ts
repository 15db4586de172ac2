import type { ProgressEvent } from './progress'

/** Where a run lies in the spool while it is delivered: a folder of its own, or a line of the execution's sheet. */
export interface RunEntry {
  /** There is a run in it, whole or in parts: it may be left to whoever comes next. */
  readonly canBeSent: boolean
  /** Writes down what came of it; a crash of the machine may lose that, and it is then done again. */
  note(event: ProgressEvent): Promise<void>
  /** Lets another process have it. */
  release(): Promise<void>
  /** Takes it out of the spool. */
  remove(): Promise<void>
}
