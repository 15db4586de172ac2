import {
  type Build,
  type Client,
  explainUnknownBranch,
  type FailureVerdict,
  MAX_PAGE_LIMIT,
  MAX_VERDICT_RUNS,
  readTestCounts,
  type RunListItem,
  type Verdict,
} from '@runledger/protocol'
import { firstLine, nameRun } from '@runledger/presentation'
import { readAll, readPages } from '../ask/pages'
import { askFailedTests, askRuns, askVerdicts } from './answers'
import { orDoubt } from './doubt'
import { findReplaced } from './replaced-runs'

/**
 * `known`: the merge base or the default branch shows the failure. `flaky`: only other builds show that the test is flaky.
 * `no_basis`: neither the merge base nor the default branch shows whether the failure is new. `not_compared`: the service does not
 * compare the failure, or some tests of its run may not have run.
 */
export type FailureKind = 'new' | 'known' | 'flaky' | 'no_basis' | 'not_compared'

export interface Failure {
  kind: FailureKind
  /** Null if the whole run failed; `name` is then the name of the run. */
  verdict: Verdict | null
  name: string
  /** The test file. For a run without a file, its procedure. */
  file: string
  /** The outcome of the run. */
  outcome: string
  error: string | null
  run_id: string
  url: string
}

export interface FoundFailures {
  failures: Failure[]
  /** The number of further failures, which were not compared. */
  more: number
  /** The number of failed runs that do not count, because their CI job was run again. */
  replaced: number
  /** How to get more failures compared. */
  advice: string | undefined
}

export async function readFailures(client: Client, build: Build): Promise<FoundFailures> {
  const runs = await listAllRuns(client, build.group)
  const failed = runs.filter(({ outcome }) => outcome !== 'PASS')
  const replaced = findReplaced(runs)
  const counted = failed.filter(({ id }) => !replaced.has(id))
  const { verdicts, more } = await readVerdicts(client, counted)
  const errors = await readErrors(client, build.group)
  const failures = counted.flatMap((run) =>
    mapRun(build, run, { verdicts: verdicts.get(run.id) ?? [], errors }),
  )
  const unlisted = Math.max(0, build.runs.failed - failed.length, failed.length === 0 ? 1 : 0)
  return {
    failures,
    more: more + unlisted,
    replaced: failed.length - counted.length,
    advice: explainUnknownBranch({ data: [...verdicts.values()].flat() }),
  }
}

interface Found {
  verdicts: readonly FailureVerdict[]
  errors: ReadonlyMap<string, string>
}

function mapRun(build: Build, run: RunListItem, { verdicts, errors }: Found): Failure[] {
  const common = {
    file: nameRun(run),
    outcome: run.outcome,
    run_id: run.id,
    url: new URL(`runs/${run.id}`, build.url).href,
  }
  const failures = verdicts.map((failure): Failure => {
    const error = errors.get(keyOf(run.id, failure.name))
    const { name, verdict } = failure
    return {
      ...common,
      kind: deriveKind(failure),
      verdict,
      name,
      error: error === undefined ? null : firstLine(error),
    }
  })
  const hasNew = failures.some(({ kind }) => kind === 'new')
  if (hasNew || (failures.length > 0 && !mayLackTests(run))) return failures
  const error = run.first_error === undefined ? null : firstLine(run.first_error)
  return [...failures, { ...common, kind: 'not_compared', verdict: null, name: common.file, error }]
}

/** Whether tests may not have run, because the run was cut short, or a hook or a file failed. */
function mayLackTests({ outcome, metadata }: RunListItem): boolean {
  return outcome !== 'FAIL' || (readTestCounts(metadata)?.errors ?? 0) > 0
}

function deriveKind({ verdict, known_on_basis: isKnown }: FailureVerdict): FailureKind {
  if (verdict === 'new') return 'new'
  if (isKnown === true) return 'known'
  return verdict === 'flaky' ? 'flaky' : 'no_basis'
}

function listAllRuns(client: Client, group: string): Promise<RunListItem[]> {
  return readAll((cursor) => askRuns(client, group, { cursor }))
}

/** The number of ids that fit into a URL. */
const IDS_AT_ONCE = 50

/** Reads verdicts by run. Pass only runs that count: the service compares a limited number of failures. */
async function readVerdicts(client: Client, runs: readonly RunListItem[]) {
  const verdicts = new Map<string, FailureVerdict[]>()
  let more = 0
  for (let start = 0; start < Math.min(runs.length, MAX_VERDICT_RUNS); start += IDS_AT_ONCE) {
    const ids = runs.slice(start, start + IDS_AT_ONCE).map(({ id }) => id)
    const { data, more_failures: left } = await askVerdicts(client, ids)
    more += left
    for (const failure of data)
      verdicts.set(failure.run_id, [...(verdicts.get(failure.run_id) ?? []), failure])
  }
  return { verdicts, more }
}

/** The most failed tests whose error messages are read. */
const MAX_ERRORS = 5 * MAX_PAGE_LIMIT

/** Reads error messages by run and test name. They do not affect the verdict, so unreadable ones are left out. */
async function readErrors(client: Client, group: string): Promise<Map<string, string>> {
  const errors = new Map<string, string>()
  await orDoubt([], async () => {
    const pages = readPages((cursor) => askFailedTests(client, group, cursor), MAX_ERRORS)
    for await (const page of pages)
      for (const { run_id: runId, test, error } of page)
        if (error) errors.set(keyOf(runId, test.name), error.message)
  })
  return errors
}

function keyOf(runId: string, name: string): string {
  return `${runId} ${name}`
}
