import type { Client, RunDetail, RunListItem } from '@runledger/protocol'
import { readVariable } from '../ask/runs'
import { type Failure, Failures, isOfFramework, readRerun } from './failures'
import { type FailedTest, keyOfTest } from './recorded-run'

/** The tests that have to run again. */
export interface FailedTests {
  failed: FailedTest[]
  /** Tests beside them that did not run, perhaps because of the failure. */
  unrun: FailedTest[]
  /** Why all tests have to run. */
  unknown: string | undefined
  /** Major versions of Node that recorded them with its own test runner. */
  nodes: number[]
}

/** Reads the failures of a build from all its runs. */
export async function readFailures(client: Client, runs: readonly RunListItem[]): Promise<Failures> {
  const failures = new Failures(runs)
  const needed = runs.filter((run) => failures.needs(run)).toSorted(compareAttempts)
  for await (const run of readRuns(client, needed)) failures.add(run)
  return failures
}

export function listTests(failures: readonly Failure[], runs: readonly RunListItem[]): FailedTests {
  const isUnrun = ({ reason }: Failure) => reason !== undefined
  const failed = indexTests(failures.filter((failure) => !isUnrun(failure)))
  const unrun = indexTests(failures.filter(isUnrun))
  return {
    failed: [...failed.values()],
    unrun: [...unrun].filter(([key]) => !failed.has(key)).map(([, test]) => test),
    unknown: failures.find(({ unknown }) => unknown !== undefined)?.unknown,
    nodes: listNodes(runs),
  }
}

/** Major versions of Node that recorded these runs with its own test runner. */
export function listNodes(runs: readonly RunListItem[]): number[] {
  const versions = runs
    .filter((run) => isOfFramework(run, 'node:test'))
    .map((run) => readVariable(run, 'framework_version') ?? '')
  return [...new Set(versions.flatMap((version) => Number.parseInt(version, 10) || []))]
}

/** Joins the failures of one test in several environments. */
function indexTests(failures: readonly Failure[]): Map<string, FailedTest> {
  return new Map(failures.map(({ test }) => [keyOfTest(test), test]))
}

const READS_AT_ONCE = 8

/** Yields the runs in the given order. Reads a few at a time, because each run has all its steps. */
export async function* readRuns(
  client: Client,
  runs: readonly Pick<RunListItem, 'id'>[],
): AsyncGenerator<RunDetail> {
  for (let at = 0; at < runs.length; at += READS_AT_ONCE)
    yield* await Promise.all(
      runs.slice(at, at + READS_AT_ONCE).map(({ id }) => client.getRun({ params: { id } })),
    )
}

function compareAttempts(one: RunListItem, other: RunListItem): number {
  const attempt = (run: RunListItem) => Number(readVariable(run, 'ci_rerun') ?? 0)
  return (
    attempt(one) - attempt(other) ||
    Date.parse(one.created_at) - Date.parse(other.created_at) ||
    Number(readRerun(one) !== undefined) - Number(readRerun(other) !== undefined)
  )
}
