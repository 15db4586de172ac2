import type { HistoryResult } from './history'
import { findSegments } from './segments'
import { findTestState, type TestState } from './test-state'

/** An earlier result of the test that failed. */
export interface EarlierResult {
  readonly failed: boolean
  /** Place in the line of builds, as for `findSegments`. */
  readonly position: number
  /** Whether it comes from the commit and the environment of the failure. */
  readonly sameCommit: boolean
  readonly atMs: number
}

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

/** All facts that are known when a test fails. */
export interface FailureFacts extends HistoryFacts {
  readonly fingerprints: {
    readonly n: number
    /** Number of them in earlier failures of the project. */
    readonly seen: number
    /** Number of them in a failure of a test that passed on the same commit, before or later. */
    readonly flaky: number
  }
  /** Other tests of the execution that failed now but not in their previous result. */
  readonly otherNewFailures: number
  /**
   * The last failures of the project, up to 50, whose test had not passed on the commit and then ran on it again. `failedAgain`
   * counts those that never passed there.
   */
  readonly repeats: { readonly failedAgain: number; readonly n: number }
  readonly infrastructure: boolean
}

const HOUR_MS = 3_600_000
/** Older results do not change the last segment. */
const SEGMENT_RESULTS = 500

/**
 * Facts of a failure at `atMs` from the earlier results of its test, in order of time. An attempt of the same build counts as a
 * result of the same commit. The caller leaves out infrastructure builds.
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

/** Sorts by commit: an old commit may be executed again, so the order of time can differ. */
function findState(results: readonly HistoryResult[]): TestState {
  const inOrder = results.toSorted((a, b) => a.position - b.position)
  return findTestState(inOrder, findSegments(inOrder))
}
