import type { Client, RunDetail, RunListItem } from '@runledger/protocol'
import { readVariable } from '../ask/runs'
import { environmentOf, findReplaced } from '../gate/replaced-runs'
import { mapSome } from '../map-some'
import { type FailedTest, readRecordedRun, type TestFile } from './recorded-run'

export interface FailedTests {
  failed: FailedTest[]
  /** Tests beside them that did not run, perhaps because of the failure. */
  unrun: FailedTest[]
  /** Why all tests have to run. */
  unknown: string | undefined
  /** Major versions of Node that recorded them with its own test runner. */
  nodes: number[]
}

const READS_AT_ONCE = 8

/**
 * What did not pass in its last attempt. On machines that differ, each test has a last attempt of its own. Later attempts are those of
 * the CI (`ci_rerun`), and executions of `runledger run --failed`.
 */
export async function readFailedTests(client: Client, runs: readonly RunListItem[]): Promise<FailedTests> {
  const replaced = findReplaced(runs)
  const asked = runs
    .filter((run) => !replaced.has(run.id) && (run.outcome !== 'PASS' || isRerun(run)))
    .toSorted(compareAttempts)
  const details = await readRuns(client, asked)
  const failing = new Map<string, { test: FailedTest; unrun: FailedTest[] }>()
  const unknown = new Map<string, string>()
  for (const run of details) {
    const read = readRecordedRun(run)
    const keyOf = (test: FailedTest) => JSON.stringify([environmentOf(run), keyOfTest(test)])
    for (const test of isRerun(run) ? [...read.passed, ...listPassedFiles(run, read.passed)] : [])
      failing.delete(keyOf(test))
    // Node 20 reports tests that a pattern leaves out as skipped, with a reason.
    const unrun = isRerun(run) && isOfNode(run) ? [] : read.unrun
    for (const test of read.failed) failing.set(keyOf(test), { test, unrun })
    if (read.unknown !== undefined) unknown.set(run.id, read.unknown)
  }
  const versions = details.filter(isOfNode).map((run) => readVariable(run, 'framework_version') ?? '')
  return {
    failed: dropRepeated([...failing.values()].map(({ test }) => test)),
    unrun: dropRepeated([...failing.values()].flatMap(({ unrun }) => unrun)),
    unknown: [...unknown.values()][0],
    nodes: versions.flatMap((version) => Number.parseInt(version, 10) || []),
  }
}

export async function readRuns(
  client: Client,
  runs: readonly Pick<RunListItem, 'id'>[],
): Promise<RunDetail[]> {
  return mapSome(runs, READS_AT_ONCE, ({ id }) => client.getRun({ params: { id } }))
}

/** The same in every execution. */
export function keyOfTest(test: FailedTest): string {
  return JSON.stringify([keyOfFile(test), test.name ?? null])
}

export function keyOfFile({ package: name, project, file }: TestFile): string {
  return JSON.stringify([name, project, file])
}

function isRerun(run: Pick<RunListItem, 'metadata'>): boolean {
  return readVariable(run, 'failed_rerun') !== undefined
}

function isOfNode(run: Pick<RunListItem, 'metadata'>): boolean {
  return readVariable(run, 'framework') === 'node:test'
}

function listPassedFiles({ outcome }: RunDetail, passed: readonly FailedTest[]): FailedTest[] {
  return outcome === 'PASS' ? passed.map((test) => ({ ...test, name: undefined })) : []
}

function compareAttempts(one: RunListItem, other: RunListItem): number {
  const attempt = (run: RunListItem) => Number(readVariable(run, 'ci_rerun') ?? 0)
  return (
    attempt(one) - attempt(other) ||
    Date.parse(one.created_at) - Date.parse(other.created_at) ||
    Number(isRerun(one)) - Number(isRerun(other))
  )
}

function dropRepeated(tests: readonly FailedTest[]): FailedTest[] {
  return [...new Map(tests.map((test) => [keyOfTest(test), test])).values()]
}
