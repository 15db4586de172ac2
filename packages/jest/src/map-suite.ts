import type { Suite } from '@runledger/core'
import type { JestFileResult, JestTest } from './jest-types'
import { mapOutput, relativePath } from './map-output'
import { mapFileProblems } from './map-problems'
import { mapSeenTests, mapTests } from './map-tests'
import type { FileAccount } from './running-files'

/** What a file's result does not tell by itself. */
export interface SuiteContext {
  /** Root of the execution, which all files of all projects are named from. */
  rootDir: string
  updateSnapshot: string
  project: string
  /** What was seen while the file ran; absent when Jest never told its start. */
  account: FileAccount | undefined
  /** When the result arrived, on our clock: the end of a file that Jest gives no times for. */
  finishedAtMs: number
}

/**
 * Maps a file's result to a suite. The verdict is Jest's: failed tests, an error of the file, or snapshots that
 * make it exit with 1. Without test results (load error, worker crash) the verdicts already seen are kept.
 */
export function mapSuite(test: JestTest, result: JestFileResult, context: SuiteContext): Suite {
  const { account, rootDir, project } = context
  const clock = findClock(result, context)
  const hasResults = result.testResults.length > 0
  // Errors beside test results came after the tests; those without came instead of them.
  const atMs = clock.startedAtMs + (hasResults ? clock.durationMs : 0)
  const problems = mapFileProblems(result, account, context.updateSnapshot).map((problem) => ({
    ...problem,
    atMs,
  }))
  const hasFailed = result.numFailingTests > 0 || problems.length > 0
  return {
    project,
    file: relativePath(rootDir, test.path),
    ...clock,
    outcome: hasFailed ? 'failed' : 'passed',
    tests:
      !hasResults && account
        ? mapSeenTests(account, countTries(result))
        : mapTests(result.testResults, account?.told ?? [], clock.startedAtMs),
    problems,
    output: mapOutput(result.console, rootDir),
    attachments: [],
  }
}

/** How often a file was run whose worker's process exited by itself each time; only what jest-worker says of it tells. */
function countTries({ testExecError }: JestFileResult): number {
  const message = typeof testExecError === 'object' ? testExecError.message : testExecError
  return Number(/^Jest worker encountered (\d+) child process exceptions/.exec(message ?? '')?.[1] ?? 1)
}

/** Maps a file that was under way when the execution was cut short: finished tests only, and the verdict failed. */
export function mapInterruptedSuite(
  account: FileAccount,
  { rootDir, project, finishedAtMs }: Pick<SuiteContext, 'rootDir' | 'project' | 'finishedAtMs'>,
): Suite {
  const message = 'Jest stopped before this file had finished (bail)'
  return {
    project,
    file: relativePath(rootDir, account.test.path),
    startedAtMs: account.startedAtMs,
    durationMs: Math.max(0, finishedAtMs - account.startedAtMs),
    outcome: 'failed',
    tests: mapSeenTests(account),
    problems: [{ name: 'Interrupted', errors: [{ message }], atMs: finishedAtMs }],
    output: [],
    attachments: [],
  }
}

function findClock(
  { perfStats }: JestFileResult,
  { account, finishedAtMs }: SuiteContext,
): Pick<Suite, 'startedAtMs' | 'durationMs'> {
  const isTimed = perfStats.start > 0
  const startedAtMs = isTimed ? perfStats.start : (account?.startedAtMs ?? finishedAtMs)
  const endedAtMs = isTimed ? perfStats.end : finishedAtMs
  return { startedAtMs, durationMs: Math.max(0, endedAtMs - startedAtMs) }
}
