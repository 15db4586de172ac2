import {
  createTestSide,
  judgeWithinLimits,
  keepFile,
  MisuseError,
  readChannelFolder,
  SAID_META,
  toBase64,
  type GivenAttachment,
  type MatcherResult,
  type NamedLimits,
  type Place,
  type SaidFile,
  type TestSide,
} from '@runledger/core/test-side'
import { findCurrentTask, readTask, type Task } from './find-task'

/** Largest body that goes through the test's meta, in bytes, where there is no folder to put it in. */
const MAX_META_BYTES = 2 * 1024 * 1024

const UNCLEAR =
  'This was said in concurrent tests without their context, so Vitest does not tell in which: use withTest(context).'

function findPlace(): Place | undefined {
  const task = findCurrentTask()
  if (task === undefined) return undefined
  if (task.type !== 'test') return createPlace(task.file)
  return task.concurrent ? createUnclearPlace(task) : createPlace(task)
}

function createPlace(holder: Pick<Task, 'meta'> & Partial<Task>): Place {
  const said = (holder.meta[SAID_META] ??= [])
  // Absent outside of tests. Vitest counts retries while it tries again.
  const ofTry = holder.type === 'test' ? { tryIndex: holder.result?.retryCount ?? 0 } : {}
  return {
    say: (each) => void said.push({ ...each, ...ofTry }),
    attach: (attachment, stamp) => {
      const kept = keep(attachment)
      if ('refusal' in kept) return kept.refusal
      const { name, contentType } = attachment
      said.push({ kind: 'file', name, contentType, ...kept, ...stamp, ...ofTry })
      return undefined
    },
  }
}

/** Rather with the file than with the wrong test. */
function createUnclearPlace({ file }: Task): Place {
  const place = createPlace(file)
  const say: Place['say'] = (said) => {
    const isTold = file.meta[SAID_META]?.some((each) => each.kind === 'log' && each.message === UNCLEAR)
    if (!isTold) place.say({ kind: 'log', message: UNCLEAR, order: said.order, atMs: said.atMs })
    place.say(said)
  }
  return { ...place, say }
}

function keep(attachment: GivenAttachment): Pick<SaidFile, 'file' | 'base64'> | { refusal: string } {
  const folder = readChannelFolder()
  if (folder !== undefined) return keepFile(folder, attachment)
  const { source } = attachment
  if ('path' in source) return { refusal: 'no reporter of Runledger was there to keep the file' }
  if (source.bytes.byteLength > MAX_META_BYTES)
    return { refusal: `its ${source.bytes.byteLength} bytes are too many where no reporter keeps them` }
  return { base64: toBase64(source.bytes) }
}

// Vitest's own assertions have this name.
const errorName = 'AssertionError'

const testSide: TestSide = createTestSide({ findPlace, errorName })

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

/**
 * The functions for the test whose context this is. Concurrent tests need it: Vitest tells of them only what the context
 * of each says. @throws TypeError for anything else than a test's context
 */
export function withTest(context: unknown): TestSide {
  const task = readTask(context)
  if (task === undefined)
    throw new MisuseError('withTest', {
      field: 'context',
      value: context,
      fix: 'give what the test function was called with',
    })
  return createTestSide({ findPlace: () => createPlace(task), errorName })
}

/**
 * Matcher for `expect.extend({ toBeWithinLimits })`: `expect(value).toBeWithinLimits({ name, unit, low, high })` puts the
 * value on record and asserts.
 */
export function toBeWithinLimits(received: unknown, expected: NamedLimits): MatcherResult {
  return judgeWithinLimits(received, expected, measure)
}
