import type { TestApiEvent } from '@runledger/core'
import {
  copyAttachment,
  createTestApi,
  getBuiltIn,
  type AttachmentInput,
  type EventSink,
  type NamedLimits,
  type TestApi,
} from '@runledger/reporter-kit/test-side'
import { TEST_API_MEDIA_TYPE } from './channel'
import { findRunner, type Runner, type RunningTest } from './find-runner'
import { guessMediaType } from './guess-media-type'

/**
 * Events sent one by one, before the call returns. Later ones go in batches, one a microtask turn, to spare other reporters.
 */
const MAX_SINGLE_EVENTS = 32

interface Sender {
  count: number
  batch?: TestApiEvent[] | undefined
}

const senders = new WeakMap<RunningTest, Sender>()

function send(test: RunningTest, event: TestApiEvent): void {
  const sender = senders.get(test) ?? { count: 0 }
  senders.set(test, sender)
  sender.count += 1
  if (sender.count <= MAX_SINGLE_EVENTS) return push(test, [event])
  if (sender.batch !== undefined) return void sender.batch.push(event)
  sender.batch = [event]
  queueMicrotask(() => {
    push(test, sender.batch ?? [])
    sender.batch = undefined
  })
}

/** Playwright sends a pushed attachment immediately, as its own fixtures do. */
function push(test: RunningTest, events: readonly TestApiEvent[]): void {
  const body = Buffer.from(JSON.stringify(events))
  test.attachments.push({ name: 'runledger', contentType: TEST_API_MEDIA_TYPE, body })
}

function attachTo(test: RunningTest, { name, contentType, source }: AttachmentInput): string | undefined {
  if ('bytes' in source) {
    const type = contentType ?? 'application/octet-stream'
    test.attachments.push({ name, contentType: type, body: Buffer.from(source.bytes) })
    return undefined
  }
  const folder = openFolder(test)
  const copied = copyAttachment(folder, { name, source })
  if ('refusal' in copied) return copied.refusal
  const type = contentType ?? guessMediaType(source.path)
  test.attachments.push({ name, contentType: type, path: `${folder}/${copied.file}` })
  return undefined
}

interface FileSystem {
  mkdirSync: (path: string, options: { recursive: true }) => void
}

/** Playwright's own folder for attachments. */
function openFolder(test: RunningTest): string {
  const folder = test.outputPath('attachments')
  try {
    getBuiltIn<FileSystem>('node:fs')?.mkdirSync(folder, { recursive: true })
  } catch {
    // The copy into it reports the error.
  }
  return folder
}

function createSink({ step: runStep }: Runner, test: RunningTest): EventSink {
  return {
    record: (event) => send(test, event),
    attach: (attachment) => attachTo(test, attachment),
    runStep,
  }
}

/** As `expect.soft` of Playwright 1.40 and later. False outside of tests, where the call must throw. */
function failAtEnd({ name, message, stack }: Error): boolean {
  const test = findRunner()?.findTest()
  if (test === undefined) return false
  if (test.status === 'passed' || test.status === 'skipped') test.status = 'failed'
  test.errors.push({ message: `${name}: ${message}`, stack })
  return true
}

const api = createTestApi({
  findSink: () => {
    const runner = findRunner()
    const test = runner?.findHeardTest()
    return runner && test && createSink(runner, test)
  },
  errorName: 'Error',
  failAtEnd,
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

/** Always the same functions, because a worker runs one test at a time. */
export function withTest(_context?: unknown): TestApi {
  return api
}

declare global {
  namespace PlaywrightTest {
    interface Matchers<R, T = unknown> {
      /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
      toBeWithinLimits(expected: NamedLimits): R
    }
  }
}
