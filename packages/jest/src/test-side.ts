import {
  createTestSide,
  judgeWithinLimits,
  keepFile,
  readChannelFolder,
  type MatcherResult,
  type NamedLimits,
  type Place,
  type Said,
  type SaidFile,
  type TestSide,
} from '@runledger/core/test-side'
import { findTest, findTestPath } from './find-test'
import { append } from './sidecar'

// Set before the worker began, for its whole life.
const folder = readChannelFolder()

/** One for all calls: a place asks anew which test is running. */
const place: Place | undefined = folder === undefined ? undefined : createPlace(folder)

function createPlace(channel: string): Place {
  const say = (said: Said | SaidFile): void => {
    try {
      append(channel, findTest(), said)
    } catch {
      // The disk is full, or the channel is gone with its reporter: no fault of the test's.
    }
  }
  return {
    say,
    attach: (attachment, stamp) => {
      const kept = keepFile(channel, attachment)
      if ('refusal' in kept) return kept.refusal
      const { name, contentType } = attachment
      say({ kind: 'file', name, contentType, file: kept.file, ...stamp })
      return undefined
    },
  }
}

const testSide: TestSide = createTestSide({
  // Outside of test files (a global set-up, a configuration) nobody is spoken of.
  findPlace: () => (place === undefined || findTestPath() === undefined ? undefined : place),
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

/**
 * Matcher for `expect.extend({ toBeWithinLimits })`: `expect(value).toBeWithinLimits({ name, unit, low, high })` puts the
 * value on record and asserts.
 */
export function toBeWithinLimits(received: unknown, expected: NamedLimits): MatcherResult {
  return judgeWithinLimits(received, expected, measure)
}

/** The functions for one test. Jest itself tells which test calls, concurrent ones too: they are the same for all. */
export function withTest(_context?: unknown): TestSide {
  return testSide
}
