import {
  createTestSide,
  getBuiltIn,
  judgeWithinLimits,
  keepFile,
  SAID_MEDIA_TYPE,
  type GivenAttachment,
  type MatcherResult,
  type NamedLimits,
  type Place,
  type Said,
  type TestSide,
} from '@runledger/core/test-side'
import { findRunner, type Runner, type RunningTest } from './find-runner'
import { guessMediaType } from './guess-media-type'

/**
 * How many calls of an attempt are sent each by itself, before they return; those after go in bundles, at the end of the
 * turn that they are made in: a test that says thousands of things is no burden for other reporters.
 */
const AT_ONCE = 32

interface Sender {
  count: number
  bundle?: Said[] | undefined
}

const senders = new WeakMap<RunningTest, Sender>()

function send(test: RunningTest, said: Said): void {
  const sender = senders.get(test) ?? { count: 0 }
  senders.set(test, sender)
  sender.count += 1
  if (sender.count <= AT_ONCE) return push(test, [said])
  if (sender.bundle !== undefined) return void sender.bundle.push(said)
  sender.bundle = [said]
  queueMicrotask(() => {
    push(test, sender.bundle ?? [])
    sender.bundle = undefined
  })
}

/** Playwright sends what is pushed at once; its own fixtures attach so too. */
function push(test: RunningTest, said: readonly Said[]): void {
  const body = Buffer.from(JSON.stringify(said))
  test.attachments.push({ name: 'runledger', contentType: SAID_MEDIA_TYPE, body })
}

function attachTo(test: RunningTest, { name, contentType, source }: GivenAttachment): string | undefined {
  if ('bytes' in source) {
    const type = contentType ?? 'application/octet-stream'
    test.attachments.push({ name, contentType: type, body: Buffer.from(source.bytes) })
    return undefined
  }
  const folder = openFolder(test)
  const kept = keepFile(folder, { name, source })
  if ('refusal' in kept) return kept.refusal
  const type = contentType ?? guessMediaType(source.path)
  test.attachments.push({ name, contentType: type, path: `${folder}/${kept.file}` })
  return undefined
}

interface FileSystem {
  mkdirSync: (path: string, options: { recursive: true }) => void
}

/** Where Playwright puts what is attached, too. */
function openFolder(test: RunningTest): string {
  const folder = test.outputPath('attachments')
  try {
    getBuiltIn<FileSystem>('node:fs')?.mkdirSync(folder, { recursive: true })
  } catch {
    // Copying into it tells.
  }
  return folder
}

function createPlace({ step: runStep }: Runner, test: RunningTest): Place {
  return {
    say: (said) => send(test, said),
    attach: (attachment) => attachTo(test, attachment),
    runStep,
  }
}

const testSide: TestSide = createTestSide({
  findPlace: () => {
    const runner = findRunner()
    const test = runner?.findTest()
    return runner && test && createPlace(runner, test)
  },
  errorName: 'Error',
})

/**
 * Puts a measured value on record as a step of its own; answers whether it is within its limits, which belong to what passes.
 * @throws Error when it is not, unless `soft`; TypeError for what is no measurement
 */
export const measure: TestSide['measure'] = testSide.measure

/** Does the same for samples, `<name> #1`, `<name> #2`, …; all are on record before the first one outside throws. */
export const measureAll: TestSide['measureAll'] = testSide.measureAll

/** Attaches a file, bytes or text, which may change or go as soon as this returns. @throws TypeError for a file that is none */
export const attach: TestSide['attach'] = testSide.attach

/** Sets a report variable of the run: the last word counts. Runledger's own stay as they are. */
export const variable: TestSide['variable'] = testSide.variable

/** Runs a part of the test as a step of the run, `<test> › <name>`; fails as its body does. */
export const step: TestSide['step'] = testSide.step

/** Names a unit that is part of the unit under test; the service must know it. */
export const subUnit: TestSide['subUnit'] = testSide.subUnit

/** Names the unit under test, where only the test finds out: the last word counts. */
export const unitUnderTest: TestSide['unitUnderTest'] = testSide.unitUnderTest

/** Writes a line into the suite's log, under its test. */
export const log: TestSide['log'] = testSide.log

/** The functions for one test. A worker of Playwright Test runs one test at a time: they are the same for all. */
export function withTest(_context?: unknown): TestSide {
  return testSide
}

/**
 * Matcher for `expect.extend({ toBeWithinLimits })`: `expect(value).toBeWithinLimits({ name, unit, low, high })` puts the
 * value on record and asserts.
 */
export function toBeWithinLimits(received: unknown, expected: NamedLimits): MatcherResult {
  return judgeWithinLimits(received, expected, measure)
}
