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

export const { measure, measureAll, attach, variable, step, subUnit, unitUnderTest, log } = testSide

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
