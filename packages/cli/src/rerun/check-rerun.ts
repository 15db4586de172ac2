import { EXECUTION_FILE } from '@runledger/core/tools'
import type { Client, RunListItem } from '@runledger/protocol'
import { listRunsWith } from '../ask/runs'
import { keyOfTest, readRuns } from './failed-tests'
import { type FailedTest, readRecordedRun, type RecordedRun } from './recorded-run'

export interface RerunResult {
  passed: number
  failed: number
  /** Should have run and did not, as far as is on record. */
  missing: FailedTest[]
  /** How many runs the execution left on record. */
  runs: number
}

/** What became of the tests in the execution with this id (`failed_rerun`). */
export async function checkRerun(
  client: Client,
  id: string,
  expected: readonly FailedTest[],
): Promise<RerunResult> {
  const runs = await listRunsWith(client, 'failed_rerun', id)
  const files = new Set(expected.map(({ file }) => file))
  const asked = runs.filter((run) => isShared(run) || files.has(String(run.metadata?.['file'])))
  const results = readResults((await readRuns(client, asked)).map(readRecordedRun))
  const outcomes = expected.map((test) => results.get(keyOfTest(test)))
  return {
    passed: outcomes.filter((outcome) => outcome === 'passed').length,
    failed: outcomes.filter((outcome) => outcome === 'failed').length,
    missing: expected.filter((_, index) => outcomes[index] === undefined),
    runs: runs.length,
  }
}

/** Its file is the project's name, or of no suite. */
function isShared({ metadata }: RunListItem): boolean {
  return metadata?.['file'] === EXECUTION_FILE || metadata?.['file'] === metadata?.['project']
}

type Outcome = 'passed' | 'failed'

/** By test, and by file: a file fails with any of its tests. */
function readResults(runs: readonly RecordedRun[]): Map<string, Outcome> {
  const results = new Map<string, Outcome>()
  const add = (test: FailedTest, outcome: Outcome) => {
    const file = { ...test, name: undefined }
    // Playwright names no project of a file that cannot be loaded.
    for (const key of new Set([test, file, { ...file, project: '' }].map(keyOfTest)))
      if (results.get(key) !== 'failed') results.set(key, outcome)
  }
  for (const { passed, failed } of runs) {
    for (const test of passed) add(test, 'passed')
    for (const test of failed) add(test, 'failed')
  }
  return results
}
