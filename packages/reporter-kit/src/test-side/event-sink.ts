import type { TestApiEvent } from '@runledger/core'
import { createClock } from './runtime'

export type EventStamp = Pick<TestApiEvent, 'order' | 'atMs'>

export interface AttachmentInput {
  name: string
  contentType?: string | undefined
  /** A path, absolute or relative to the working directory; or bytes. */
  source: { path: string } | { bytes: Uint8Array }
}

export type RunStep = <Result>(
  name: string,
  body: () => Result | Promise<Result>,
  stack: string | undefined,
) => Result | Promise<Result>

/** Receives events of a test or file; they are safe when a method returns. */
export interface EventSink {
  record(event: TestApiEvent): void
  /** Takes over the bytes, or returns why it could not: that must not fail the test. */
  attach(attachment: AttachmentInput, stamp: EventStamp): string | undefined
  /** Runs a step as one of the framework's, if it has steps. The stack begins at the caller's line. */
  runStep?: RunStep | undefined
}

/** Undefined without a reporter or outside of a test runner. */
export type FindSink = () => EventSink | undefined

// On the global object: one process may load the ESM and the CJS build.
const ORDER = Symbol.for('runledger.order')
const counter = ((globalThis as { [ORDER]?: { last: number } })[ORDER] ??= { last: 0 })

const now = createClock()

export function createStamp(): EventStamp {
  counter.last += 1
  return { order: counter.last, atMs: now() }
}

/** On the same clock as the stamp. */
export function elapsedSince({ atMs }: EventStamp): number {
  return now() - atMs
}
