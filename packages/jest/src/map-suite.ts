import type { Suite, SuiteTest } from '@runledger/core'
import { createCountedTest, hasRun, toRelativePath, type SuiteFacts } from '@runledger/reporter-kit'
import type { JestFileResult, JestTest } from './jest-types'
import { mapOutput } from './map-output'
import { mapFileProblems } from './map-problems'
import { mapSeenTests, mapTests } from './map-tests'
import type { RunningFile } from './running-files'

export interface SuiteContext {
  /** The execution's root: paths of all projects are relative to it. */
  rootDir: string
  updateSnapshot: string
  project: string
  /** Events while the file ran; undefined if its start was not reported. */
  running: RunningFile | undefined
  /** When the result arrived, by our clock: the end of a file without times. */
  finishedAtMs: number
}

/** Maps a file's result; the verdict is Jest's. Without test results, the case events are mapped instead. */
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

/** A runner may count tests that it does not list, or with unknown statuses: one step represents them. */
function mapUnlisted(
  { numPassingTests = 0, numFailingTests }: JestFileResult,
  tests: readonly SuiteTest[],
  suite: Pick<SuiteFacts, 'outcome' | 'startedAtMs' | 'durationMs'>,
): SuiteTest[] {
  if (numPassingTests + numFailingTests === 0 || tests.some(({ outcome }) => hasRun(outcome))) return []
  const title = `${numPassingTests} passed and ${numFailingTests} failed tests that Jest counts and does not list`
  return [createCountedTest(title, suite)]
}

/** Jest's verdict about a file whose result could not be mapped. */
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

/** jest-worker tries a file three more times. */
const MOST_TRIES = 4

/** The number of tries after crashes, by jest-worker's rules for processes and threads. */
function countTries({ testExecError }: JestFileResult): number {
  const message = typeof testExecError === 'object' ? testExecError.message : testExecError
  if (message?.startsWith('Call retries were exceeded')) return MOST_TRIES
  return Number(/^Jest worker encountered (\d+) child process exceptions/.exec(message ?? '')?.[1] ?? 1)
}

/** Finished tests only, with the verdict failed. */
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
