import type { TestApiEvent } from '@runledger/core'
import { createClock } from './runtime'

/** Sequence number and time of a call. */
export type EventStamp = Pick<TestApiEvent, 'order' | 'atMs'>

/** A checked attachment. */
export interface AttachmentInput {
  name: string
  contentType?: string | undefined
  /** A path that is absolute or relative to the working directory; or the bytes. */
  source: { path: string } | { bytes: Uint8Array }
}

export type RunStep = <Result>(
  name: string,
  body: () => Result | Promise<Result>,
  stack: string | undefined,
) => Result | Promise<Result>

/** Receives the events of a test, or of the file around it. What it was given is safe when a method returns. */
export interface EventSink {
  record(event: TestApiEvent): void
  /** Takes over the bytes, or returns why it could not: that must not fail the test. */
  attach(attachment: AttachmentInput, stamp: EventStamp): string | undefined
  /** Runs a step as one of the framework's own, where it has steps. The stack begins at the caller's line. */
  runStep?: RunStep | undefined
}

/** Finds the sink for a call; undefined without a reporter or outside of a test runner. */
export type FindSink = () => EventSink | undefined

// On the global object: the ESM and the CJS build may both be loaded in one process.
const ORDER = Symbol.for('runledger.order')
const counter = ((globalThis as { [ORDER]?: { last: number } })[ORDER] ??= { last: 0 })

const now = createClock()

export function createStamp(): EventStamp {
  counter.last += 1
  return { order: counter.last, atMs: now() }
}

/** Milliseconds since an event's stamp, on the same clock. */
export function elapsedSince({ atMs }: EventStamp): number {
  return now() - atMs
}
