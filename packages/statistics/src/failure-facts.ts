import type { HistoryResult } from './history'
import { findSegments } from './segments'
import { findTestState, type TestState } from './test-state'

/** An earlier result of a test, as far as the next failure is concerned. */
export interface EarlierResult {
  readonly failed: boolean
  /** Place in the line of builds, as for `findSegments`. */
  readonly position: number
  /** Whether it comes from the commit and the environment of the failure. */
  readonly sameCommit: boolean
  readonly atMs: number
}

/** The part of a failure's facts that the history of its test tells. */
export interface HistoryFacts {
  /** Results of the same commit and environment that passed, and those that failed, without this failure. */
  readonly passedOnCommit: number
  readonly failedOnCommit: number
  /** Failures in a row right before this one, on all commits. */
  readonly failuresInRow: number
  /** Hours since the last pass; undefined when there is none. */
  readonly hoursSincePass: number | undefined
  readonly last20: { readonly failures: number; readonly n: number }
  readonly last200: { readonly failures: number; readonly n: number }
  /** State of the test before this failure. */
  readonly state: TestState
}

/** What is known at the moment of a failure. */
export interface FailureFacts extends HistoryFacts {
  /** Fingerprints of its errors. */
  readonly fingerprints: {
    readonly n: number
    /** Those that earlier failures of the project had. */
    readonly seen: number
    /** Those that were in a failure of a test that passed on the same commit, before or later. */
    readonly flaky: number
  }
  /** Other tests of the execution that fail now and did not fail the time before. */
  readonly otherNewFailures: number
  /**
   * The last (up to 50) failures of the project whose test had not passed on the commit before and ran on it again since:
   * how many never passed there.
   */
  readonly repeats: { readonly failedAgain: number; readonly n: number }
  readonly infrastructure: boolean
}

const HOUR_MS = 3_600_000
/** Segments of a longer history say nothing more about its end. */
const SEGMENT_RESULTS = 500

/**
 * Facts of a failure at `atMs` from the earlier results of its test, in order of time. A failed attempt of the same build counts
 * as a failed result of the same commit, a passed one as a passed result. Leave out infrastructure builds.
 */
export function readHistoryFacts(earlier: readonly EarlierResult[], atMs: number): HistoryFacts {
  const onCommit = earlier.filter(({ sameCommit }) => sameCommit)
  const lastPass = earlier.findLastIndex(({ failed }) => !failed)
  const pass = earlier[lastPass]
  return {
    passedOnCommit: onCommit.length - countFailures(onCommit),
    failedOnCommit: countFailures(onCommit),
    failuresInRow: earlier.length - 1 - lastPass,
    hoursSincePass: pass && (atMs - pass.atMs) / HOUR_MS,
    last20: countLast(earlier, 20),
    last200: countLast(earlier, 200),
    state: findState(earlier.slice(-SEGMENT_RESULTS)),
  }
}

function countLast(results: readonly EarlierResult[], count: number): { failures: number; n: number } {
  const last = results.slice(-count)
  return { failures: countFailures(last), n: last.length }
}

function countFailures(results: readonly EarlierResult[]): number {
  return results.filter(({ failed }) => failed).length
}

/** An old commit may have been executed again: results in order of time are not always in order of commits. */
function findState(results: readonly HistoryResult[]): TestState {
  const inOrder = results.toSorted((a, b) => a.position - b.position)
  return findTestState(inOrder, findSegments(inOrder))
}
