import type { FileEvent } from '@runledger/core'
import {
  copyAttachment,
  createTestApi,
  InvalidArgumentError,
  readChannelFolder,
  type AttachmentInput,
  type EventSink,
  type NamedLimits,
  type TestApi,
} from '@runledger/reporter-kit/test-side'
import { failAtEnd } from './fail-at-end'
import { findCurrentTask, readTask, TEST_API_META, type Task } from './find-task'
import { toBase64 } from './to-base64'

/** Largest attachment in a task's meta if there is no channel folder. */
const MAX_META_BYTES = 2 * 1024 * 1024

const UNKNOWN_TEST =
  'Recorded in a concurrent test that Vitest does not identify: call withTest(context) there.'

function findSink(): EventSink | undefined {
  const task = findCurrentTask()
  if (task === undefined) return undefined
  if (task.type !== 'test') return createSink(task.file)
  return task.concurrent ? createConcurrentSink(task) : createSink(task)
}

function createSink(holder: Pick<Task, 'meta'> & Partial<Task>): EventSink {
  const events = (holder.meta[TEST_API_META] ??= [])
  // Vitest counts retries while they run.
  const ofAttempt = holder.type === 'test' ? { attemptIndex: holder.result?.retryCount ?? 0 } : {}
  return {
    record: (event) => void events.push({ ...event, ...ofAttempt }),
    attach: (attachment, stamp) => {
      const content = takeContent(attachment)
      if ('refusal' in content) return content.refusal
      const { name, contentType } = attachment
      events.push({ kind: 'file', name, contentType, ...content, ...stamp, ...ofAttempt })
      return undefined
    },
  }
}

/** The current task may be another concurrent test, so the event goes to the file: no test is better than the wrong one. */
function createConcurrentSink({ file }: Task): EventSink {
  const sink = createSink(file)
  const record: EventSink['record'] = (event) => {
    const isNoted = file.meta[TEST_API_META]?.some(
      (each) => each.kind === 'log' && each.message === UNKNOWN_TEST,
    )
    const { order, atMs } = event
    if (!isNoted) sink.record({ kind: 'log', message: UNKNOWN_TEST, order, atMs })
    sink.record(event)
  }
  return { ...sink, record }
}

function takeContent(attachment: AttachmentInput): Pick<FileEvent, 'file' | 'base64'> | { refusal: string } {
  const folder = readChannelFolder()
  if (folder !== undefined) return copyAttachment(folder, attachment)
  const { source } = attachment
  if ('path' in source) return { refusal: 'no reporter of Runledger was there to keep the file' }
  if (source.bytes.byteLength > MAX_META_BYTES)
    return { refusal: `its ${source.bytes.byteLength} bytes are too many where no reporter keeps them` }
  return { base64: toBase64(source.bytes) }
}

// Vitest's name of assertion errors.
const errorName = 'AssertionError'

const api = createTestApi({
  findSink,
  errorName,
  failAtEnd: (error) => {
    const task = findCurrentTask()
    // With concurrent tests, this may be another test.
    return !task?.concurrent && failAtEnd(task, error)
  },
})

// Typed as members of `TestApi`, because inferred types would lose the documentation.
export const attach: TestApi['attach'] = api.attach
export const log: TestApi['log'] = api.log
export const measure: TestApi['measure'] = api.measure
export const measureAll: TestApi['measureAll'] = api.measureAll
export const step: TestApi['step'] = api.step
export const subUnit: TestApi['subUnit'] = api.subUnit
export const toBeWithinLimits: TestApi['toBeWithinLimits'] = api.toBeWithinLimits
export const unitUnderTest: TestApi['unitUnderTest'] = api.unitUnderTest
export const variable: TestApi['variable'] = api.variable

/** Concurrent tests need it: only its context identifies the test. @throws TypeError for anything but a test's context */
export function withTest(context: unknown): TestApi {
  const task = readTask(context)
  const fix = 'give what the test function was called with'
  if (task === undefined)
    throw new InvalidArgumentError('withTest', { field: 'context', value: context, fix })
  return createTestApi({
    findSink: () => createSink(task),
    errorName,
    failAtEnd: (error) => failAtEnd(task, error),
  })
}

declare global {
  // `Matchers` has other type parameters in each version; all include Chai's assertions.
  namespace Chai {
    interface Assertion {
      /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
      toBeWithinLimits(expected: NamedLimits): void
    }
  }
}
