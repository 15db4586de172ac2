import type { Said } from './said'

/** Something that a test attaches, checked. */
export interface GivenAttachment {
  name: string
  contentType?: string | undefined
  /** An absolute path or one from the working directory; or the bytes. */
  source: { path: string } | { bytes: Uint8Array }
}

/** When something was said. */
export type Stamp = Pick<Said, 'order' | 'atMs'>

export type RunStep = <Result>(
  name: string,
  body: () => Result | Promise<Result>,
  stack: string | undefined,
) => Result | Promise<Result>

/** Where a call was made: a test, or the file around it. What is handed over is safe when these return. */
export interface Place {
  say(said: Said): void
  /** Takes the bytes over; answers why it could not, which is no fault of the test's. */
  attach(attachment: GivenAttachment, stamp: Stamp): string | undefined
  /** The framework's own steps, where it has some; `stack` begins at the line that called. */
  runStep?: RunStep | undefined
}

/** Finds the place of a call; undefined when there is none to tell: no reporter, or no test runner at all. */
export type FindPlace = () => Place | undefined

const ORDER = Symbol.for('runledger.order')

// On the global: this code may be loaded twice (ESM and CJS). Read once: in Jest's contexts a global costs microseconds.
const counter = ((globalThis as { [ORDER]?: { next: number } })[ORDER] ??= { next: 0 })

/** Counts what is said in one process, or in one test file where that has globals of its own. */
export function nextOrder(): number {
  counter.next += 1
  return counter.next
}
