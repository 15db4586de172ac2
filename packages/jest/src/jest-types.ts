import type { FailureDetail } from './failure-details'

/**
 * The parts of Jest's objects that we read, as Jest 29.7 and 30 send them. Declared here so that our published types need
 * no package of Jest's; `reporter.test.ts` checks that Jest's own types are assignable.
 */

export interface JestGlobalConfig {
  rootDir: string
  bail: number
  watch: boolean
  watchAll: boolean
  updateSnapshot: string
  passWithNoTests: boolean
  lastCommit: boolean
  onlyChanged: boolean
  /** Folders or files of configurations; where the configuration holds projects inline, the objects themselves. */
  projects: readonly (string | JestInlineProject)[]
  shard?: { shardIndex: number; shardCount: number } | null | undefined
}

export interface JestInlineProject {
  rootDir?: string | undefined
  displayName?: unknown
}

export interface JestProjectConfig {
  id: string
  rootDir: string
  displayName?: { name: string } | undefined
}

export interface JestTest {
  path: string
  context: { config: JestProjectConfig }
}

export interface JestCaseStart {
  ancestorTitles: readonly string[]
  title: string
  startedAt?: number | null | undefined
}

export interface JestAssertion {
  ancestorTitles: readonly string[]
  title: string
  /** `passed`, `failed`, `pending` (skipped) or `todo`; others only from third-party runners. */
  status: string
  /** Milliseconds; null for a test that did not run. */
  duration?: number | null | undefined
  failureMessages?: readonly string[] | null | undefined
  /** What we read from Jest's `failureDetails`, which may hold anything: more of each failure message. */
  details?: readonly FailureDetail[] | undefined
  /** With the option `testLocationInResults`; line and column are counted from 1. */
  location?: { line: number; column: number } | null | undefined
  /** Number of this attempt, from 1; in the final results, the number of attempts. */
  invocations?: number | undefined
  /** The errors of earlier attempts; only with the retry option `logErrorsBeforeRetry`. */
  retryReasons?: readonly string[] | undefined
  /** Start of the last attempt in the final results; since Jest 30. */
  startAt?: number | null | undefined
}

export interface JestCaseResult extends JestAssertion {
  /** Since Jest 30; before that only in the case's start. */
  startedAt?: number | null | undefined
}

/** A thrown string stays a plain string. */
export type JestExecError = string | JestExecErrorObject

interface JestExecErrorObject extends Pick<FailureDetail, 'nested'> {
  message?: string | undefined
  stack?: string | null | undefined
}

export interface JestConsoleEntry {
  message: string
  /** Stack of the call. */
  origin: string
  /** Name of the console's method. */
  type: string
}

export interface JestFileResult {
  testResults: readonly JestAssertion[]
  numFailingTests: number
  numPassingTests?: number | undefined
  testExecError?: JestExecError | undefined
  failureMessage?: string | null | undefined
  /** All 0 without test results (load error, worker crash). Some third-party runners count from their own start. */
  perfStats?: { start: number; end: number } | undefined
  console?: readonly JestConsoleEntry[] | null | undefined
  snapshot: {
    unchecked: number
    unmatched: number
    fileDeleted: boolean
    uncheckedKeys: readonly string[]
  }
}

export interface JestRunResults {
  startTime: number
  numTotalTestSuites: number
  numFailedTests: number
  numRuntimeErrorTestSuites: number
  runExecError?: JestExecError | undefined
  snapshot: { failure: boolean; filesRemovedList?: readonly string[] | undefined }
}
