/**
 * The part of Jest's objects that we read, as Jest 29.7 and 30 send it. Declared here so that our published types
 * need no package of Jest's; `reporter.test.ts` proves that Jest's own types fit.
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
  /** `passed`, `failed`, `pending` (told not to run) or `todo`; others only from other runners. */
  status: string
  /** Milliseconds; null for a test that did not run. */
  duration?: number | null | undefined
  failureMessages?: readonly string[] | null | undefined
  /** Which attempt this is, from 1; in the final results, how many there were. */
  invocations?: number | undefined
  /** The errors of earlier attempts; filled only by the retry option `logErrorsBeforeRetry`. */
  retryReasons?: readonly string[] | undefined
  /** Start of the last attempt in the final results; since Jest 30. */
  startAt?: number | null | undefined
}

export interface JestCaseResult extends JestAssertion {
  /** Since Jest 30; before that only the case's start tells it. */
  startedAt?: number | null | undefined
}

/** A thrown string stays a plain string. */
export type JestExecError = string | { message?: string | undefined; stack?: string | null | undefined }

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
  testExecError?: JestExecError | undefined
  failureMessage?: string | null | undefined
  /** All 0 when no test is in the results (load error, worker crash). */
  perfStats: { start: number; end: number }
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
