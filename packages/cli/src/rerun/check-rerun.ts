import type { Client } from '@runledger/protocol'
import { listRunsWith, readVariable } from '../ask/runs'
import { type FailedTests, readRuns } from './failed-tests'
import type { Failure, Failures } from './failures'
import { type FailedTest, hasSeveralFiles, keyOfTest } from './recorded-run'

export interface RerunResult {
  /** How many of the failed tests passed. */
  passed: number
  failed: number
  /** Should have run and did not, as far as is on record. */
  missing: FailedTest[]
  /** Passed, but not where they failed, or not often enough. */
  uncleared: { failure: Failure; passes: number }[]
  /** How many runs the execution left on record. */
  runs: number
  failedRuns: number
}

/** Reads the results of the execution with this id (`failed_rerun`), and clears the failures that passed in it. */
export async function checkRerun(
  client: Client,
  id: string,
  { failures, tests }: { failures: Failures; tests: FailedTests },
): Promise<RerunResult> {
  const runs = await listRunsWith(client, 'failed_rerun', id)
  const expected = [...tests.failed, ...tests.unrun]
  const files = new Set(expected.map(({ file }) => file))
  const asked = runs.filter((run) => hasSeveralFiles(run) || files.has(readVariable(run, 'file') ?? ''))
  const before = new Set(failures.list())
  const failedTests = new Set(tests.failed.map(keyOfTest))
  const excused = new Set(
    [...before]
      .filter(({ test }) => !failedTests.has(keyOfTest(test)))
      .map(({ test, reason }) => keyOfSkip(keyOfTest(test), reason)),
  )
  const seen = { passed: new Set<string>(), failed: new Set<string>(), skipped: new Set<string>() }
  for await (const run of readRuns(client, asked))
    for (const [test, outcome] of failures.add(run))
      if (outcome.is !== 'skipped' || excused.has(keyOfSkip(test, outcome.reason))) seen[outcome.is].add(test)
  const hasFailed = (test: FailedTest) => seen.failed.has(keyOfTest(test))
  const hasPassed = (test: FailedTest) => seen.passed.has(keyOfTest(test)) && !hasFailed(test)
  const isSkipped = (test: FailedTest) => seen.skipped.has(keyOfTest(test))
  const failedRuns = runs.filter(({ outcome }) => outcome !== 'PASS').length
  const isDone = (test: FailedTest) => hasPassed(test) || (failedRuns === 0 && isSkipped(test))
  return {
    passed: tests.failed.filter(hasPassed).length,
    failed: tests.failed.filter(hasFailed).length,
    missing: expected.filter((test) => !hasPassed(test) && !hasFailed(test) && !isSkipped(test)),
    uncleared: failures
      .list()
      .filter((failure) => before.has(failure) && isDone(failure.test))
      .map((failure) => ({ failure, passes: failure.passes.get(id) ?? 0 })),
    runs: runs.length,
    failedRuns,
  }
}

function keyOfSkip(test: string, reason: string | undefined): string {
  return JSON.stringify([test, reason])
}
