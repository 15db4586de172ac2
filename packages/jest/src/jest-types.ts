import type { FailureDetail } from './failure-details'

/**
 * The parts of Jest's objects that we read, as Jest 29.7 and 30 send them. Own types, so that our published types need
 * no package of Jest; `reporter.test.ts` checks that Jest's are assignable.
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
  /** Folders or configuration files; inline projects are objects. */
  projects: readonly (string | JestInlineProject)[]
  shard?: { shardIndex: number; shardCount: number } | null | undefined
  collectCoverage?: boolean | undefined
  coverageThreshold?: object | undefined
  forceExit?: boolean | undefined
  testResultsProcessor?: string | null | undefined
  testFailureExitCode?: number | undefined
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
  /** `passed`, `failed`, `pending` (skipped) or `todo`; third-party runners may use others. */
  status: string
  /** Milliseconds; null if it did not run. */
  duration?: number | null | undefined
  failureMessages?: readonly string[] | null | undefined
  /** Jest's `failureDetails`, which may contain anything. */
  details?: readonly FailureDetail[] | undefined
  /** With `testLocationInResults`; counted from 1. */
  location?: { line: number; column: number } | null | undefined
  /** Number of this attempt, from 1; in final results, the number of attempts. */
  invocations?: number | undefined
  /** Errors of earlier attempts; with `logErrorsBeforeRetry`. */
  retryReasons?: readonly string[] | undefined
  /** Start of the last attempt in final results; since Jest 30. */
  startAt?: number | null | undefined
}

export interface JestCaseResult extends JestAssertion {
  /** Since Jest 30; earlier only in the case's start. */
  startedAt?: number | null | undefined
}

/** A thrown string stays a string. */
export type JestExecError = string | JestExecErrorObject

interface JestExecErrorObject extends Pick<FailureDetail, 'nested'> {
  message?: string | undefined
  stack?: string | null | undefined
}

export interface JestConsoleEntry {
  message: string
  origin: string
  type: string
}

export interface JestFileResult {
  testResults: readonly JestAssertion[]
  numFailingTests: number
  numPassingTests?: number | undefined
  testExecError?: JestExecError | undefined
  failureMessage?: string | null | undefined
  /** All 0 without test results (load error, worker crash). Some runners count from their own start. */
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
