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

/** Where a call was made: a test, or the file around it. What is handed over is safe when these return. */
export interface Place {
  say(said: Said): void
  /** Takes the bytes over; answers why it could not, which is no fault of the test's. */
  attach(attachment: GivenAttachment, stamp: Stamp): string | undefined
  /** The framework's own steps, where it has some. */
  runStep?: (<Result>(name: string, body: () => Result | Promise<Result>) => Promise<Result>) | undefined
}

/** Finds the place of a call; undefined when there is none to tell: no reporter, or no test runner at all. */
export type FindPlace = () => Place | undefined

const ORDER = Symbol.for('runledger.order')

/** Counts what is said in one process, also where this code is loaded twice (ESM and CJS). */
export function nextOrder(): number {
  const holder = globalThis as { [ORDER]?: number }
  const order = holder[ORDER] ?? 0
  holder[ORDER] = order + 1
  return order
}
