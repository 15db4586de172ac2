import type { Suite, SuiteTest } from '@runledger/core'
import { createCountedTest, hasRun, toRelativePath, type SuiteFacts } from '@runledger/reporter-kit'
import type { JestFileResult, JestTest } from './jest-types'
import { mapOutput } from './map-output'
import { mapFileProblems } from './map-problems'
import { mapSeenTests, mapTests } from './map-tests'
import type { RunningFile } from './running-files'

/** What a file's result does not contain. */
export interface SuiteContext {
  /** Root of the execution: paths of files in all projects are relative to it. */
  rootDir: string
  updateSnapshot: string
  project: string
  /** What was reported while the file ran; undefined when Jest never reported its start. */
  running: RunningFile | undefined
  /** When the result arrived by our own clock: the end of a file to which Jest gives no times. */
  finishedAtMs: number
}

/**
 * Maps a file's result to a suite. The verdict is Jest's: failed tests, an error of the file, or snapshots that make it
 * exit with 1. Without test results (load error, worker crash) the reported case events are mapped instead.
 */
export function mapSuite(test: JestTest, result: JestFileResult, context: SuiteContext): Suite {
  const { running, rootDir, project } = context
  const file = toRelativePath(rootDir, test.path)
  const clock = findClock(result, context)
  const hasResults = result.testResults.length > 0
  // With test results, the error came after the tests; without, instead of them.
  const atMs = clock.startedAtMs + (hasResults ? clock.durationMs : 0)
  const problems = mapFileProblems(result, running, context)
  const hasFailed = result.numFailingTests > 0 || problems.length > 0
  const outcome = hasFailed ? 'failed' : 'passed'
  const tests =
    !hasResults && running
      ? mapSeenTests(running, rootDir, countTries(result))
      : mapTests(result.testResults, running?.caseEvents ?? [], { ...clock, rootDir, file })
  return {
    project,
    file,
    ...clock,
    outcome,
    tests: [...tests, ...mapUnlisted(result, tests, { ...clock, outcome })],
    problems: problems.map((problem) => ({ ...problem, atMs })),
    output: mapOutput(result.console, rootDir),
    attachments: [],
  }
}

/** A runner may count tests without listing them, or with statuses that Jest does not know: one step stands for them. */
function mapUnlisted(
  { numPassingTests = 0, numFailingTests }: JestFileResult,
  tests: readonly SuiteTest[],
  suite: Pick<SuiteFacts, 'outcome' | 'startedAtMs' | 'durationMs'>,
): SuiteTest[] {
  if (numPassingTests + numFailingTests === 0 || tests.some(({ outcome }) => hasRun(outcome))) return []
  const title = `${numPassingTests} passed and ${numFailingTests} failed tests that Jest counts and does not list`
  return [createCountedTest(title, suite)]
}

/** What Jest says of a file whose result could not be mapped. */
export function describeFile(
  test: JestTest,
  { numFailingTests, testExecError, snapshot }: JestFileResult,
  { rootDir, project, running, finishedAtMs, updateSnapshot }: SuiteContext,
): SuiteFacts {
  const startedAtMs = running?.startedAtMs ?? finishedAtMs
  const {
    unchecked = 0,
    unmatched = 0,
    fileDeleted,
  } = (snapshot ?? {}) as Partial<JestFileResult['snapshot']>
  const hasBadSnapshots = updateSnapshot !== 'all' && (unchecked > 0 || unmatched > 0 || fileDeleted)
  return {
    project,
    file: toRelativePath(rootDir, test.path),
    startedAtMs,
    durationMs: Math.max(0, finishedAtMs - startedAtMs),
    outcome: numFailingTests > 0 || testExecError || hasBadSnapshots ? 'failed' : 'passed',
  }
}

/** Jest has jest-worker try a file three times more. */
const MOST_TRIES = 4

/** How often a file was tried whose worker exited by itself each time, according to jest-worker: a process, or a thread. */
function countTries({ testExecError }: JestFileResult): number {
  const message = typeof testExecError === 'object' ? testExecError.message : testExecError
  if (message?.startsWith('Call retries were exceeded')) return MOST_TRIES
  return Number(/^Jest worker encountered (\d+) child process exceptions/.exec(message ?? '')?.[1] ?? 1)
}

/** Maps a file that is under way: finished tests only, and the verdict failed, as if Jest ended now. */
export function mapInterruptedSuite(
  running: RunningFile,
  { rootDir, project, finishedAtMs }: Pick<SuiteContext, 'rootDir' | 'project' | 'finishedAtMs'>,
): Suite {
  const message = 'Jest stopped before this file had finished'
  return {
    project,
    file: toRelativePath(rootDir, running.test.path),
    startedAtMs: running.startedAtMs,
    durationMs: Math.max(0, finishedAtMs - running.startedAtMs),
    outcome: 'failed',
    tests: mapSeenTests(running, rootDir),
    problems: [{ name: 'Interrupted', errors: [{ message }], atMs: finishedAtMs }],
    output: [],
    attachments: [],
  }
}

function findClock(
  { perfStats }: JestFileResult,
  { running, finishedAtMs }: SuiteContext,
): Pick<Suite, 'startedAtMs' | 'durationMs'> {
  const startedAtMs = perfStats?.start ?? running?.startedAtMs ?? finishedAtMs
  const endedAtMs = perfStats?.end ?? finishedAtMs
  return { startedAtMs, durationMs: Math.max(0, endedAtMs - startedAtMs) }
}
