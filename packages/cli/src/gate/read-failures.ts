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
import { readPages } from '../ask/pages'
import { askFailedTests, askRuns, askVerdicts } from './answers'
import { orDoubt } from './doubt'
import { findReplaced } from './replaced-runs'

/**
 * `known`: already failing or flaky where the branch comes from. `flaky`: only other builds show that it is. `no_basis`: neither
 * the merge base nor the default branch says whether it is old. `not_compared`: the service does not compare it, or tests of its
 * run may never have run.
 */
export type FailureKind = 'new' | 'known' | 'flaky' | 'no_basis' | 'not_compared'

export interface Failure {
  kind: FailureKind
  /** Null for a run as a whole; then `name` is that of the run. */
  verdict: Verdict | null
  name: string
  /** The test file; of a run without one its procedure. */
  file: string
  /** Of the run. */
  outcome: string
  error: string | null
  run_id: string
  url: string
}

export interface FoundFailures {
  failures: Failure[]
  /** How many more there are, which were not compared. */
  more: number
  /** Failed runs that do not count, because their CI job was run again. */
  replaced: number
  /** What would compare more of them. */
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

/** It was cut short, or a hook or a file failed: then tests may not have run. */
function mayLackTests({ outcome, metadata }: RunListItem): boolean {
  return outcome !== 'FAIL' || (readTestCounts(metadata)?.errors ?? 0) > 0
}

function deriveKind({ verdict, known_on_basis: isKnown }: FailureVerdict): FailureKind {
  if (verdict === 'new') return 'new'
  if (isKnown === true) return 'known'
  return verdict === 'flaky' ? 'flaky' : 'no_basis'
}

async function listAllRuns(client: Client, group: string): Promise<RunListItem[]> {
  const runs: RunListItem[] = []
  for await (const page of readPages((cursor) => askRuns(client, group, { cursor }))) runs.push(...page)
  return runs
}

/** As many ids as fit into an address. */
const IDS_AT_ONCE = 50

/** By run. The failures of runs that do not count would take the place of others. */
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

/** More failed tests than are compared are not read. */
const MAX_ERRORS = 5 * MAX_PAGE_LIMIT

/** Why tests failed, by run and name. They decide nothing, so what cannot be read is left out. */
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
