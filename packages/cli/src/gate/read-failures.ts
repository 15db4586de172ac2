import {
  type Build,
  type Client,
  explainUnknownBranch,
  type FailureVerdict,
  MAX_PAGE_LIMIT,
  type RunListItem,
  type Verdict,
} from '@runledger/protocol'
import { firstLine, nameRun } from '@runledger/presentation'
import { compareWithEarlier } from '../ask/run'
import { listRuns } from '../ask/runs'
import { findReplaced } from './replaced-runs'

/**
 * `known`: already failing or flaky where the branch comes from. `no_basis`: neither the merge base nor the default branch has
 * the test on record. `not_compared`: the service said nothing of it.
 */
export type FailureKind = 'new' | 'known' | 'no_basis' | 'not_compared'

export interface Failure {
  kind: FailureKind
  /** Null for a run that failed without a failure that was compared; then `name` is that of the run. */
  verdict: Verdict | null
  name: string
  /** The test file; of a run without one its procedure. */
  file: string
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
  const counted = new Map(failed.filter(({ id }) => !replaced.has(id)).map((run) => [run.id, run]))
  const verdicts = await compareWithEarlier(client, { group: build.group })
  const compared = verdicts?.data.filter((failure) => counted.has(failure.run_id)) ?? []
  const comparedRuns = new Set(compared.map((failure) => failure.run_id))
  const errors = await readErrors(client, build.group)
  const failures = [
    ...compared.map((failure) => {
      const error = errors.get(keyOf(failure.run_id, failure.name))
      return mapFailure(build, counted.get(failure.run_id) as RunListItem, { failure, error })
    }),
    ...[...counted.values()].filter(({ id }) => !comparedRuns.has(id)).map((run) => mapFailure(build, run)),
  ]
  const unlisted = Math.max(0, build.runs.failed - failed.length)
  return {
    failures,
    more: (verdicts?.more_failures ?? 0) + unlisted,
    replaced: failed.length - counted.size,
    advice: verdicts && explainUnknownBranch({ ...verdicts, data: compared }),
  }
}

function mapFailure(
  build: Build,
  run: RunListItem,
  { failure, error }: { failure?: FailureVerdict; error?: string | undefined } = {},
): Failure {
  const message = failure ? error : run.first_error
  return {
    kind: failure ? deriveKind(failure) : 'not_compared',
    verdict: failure?.verdict ?? null,
    name: failure?.name ?? nameRun(run),
    file: nameRun(run),
    error: message === undefined ? null : firstLine(message),
    run_id: run.id,
    url: new URL(`runs/${run.id}`, build.url).href,
  }
}

/** A failure that only its own branch has on record is as old as that branch, which does not make it somebody else's. */
function deriveKind({ verdict, basis }: FailureVerdict): FailureKind {
  if (verdict === 'new') return 'new'
  const isOld = verdict === 'already_failing' || verdict === 'flaky'
  return isOld && (basis === 'merge-base' || basis === 'default-branch') ? 'known' : 'no_basis'
}

async function listAllRuns(client: Client, group: string): Promise<RunListItem[]> {
  const runs: RunListItem[] = []
  for (let cursor: number | undefined; ;) {
    const { data, meta } = await listRuns(client, { group, limit: MAX_PAGE_LIMIT, cursor })
    runs.push(...data)
    if (meta.next_cursor === null) return runs
    cursor = meta.next_cursor
  }
}

/** More failed tests than are compared are not read. */
const MAX_PAGES = 5

/** Why tests failed, by run and name. */
async function readErrors(client: Client, group: string): Promise<Map<string, string>> {
  const errors = new Map<string, string>()
  let cursor: number | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { outcomes: ['failed' as const], limit: MAX_PAGE_LIMIT, cursor }
    const { data, meta } = await client.listBuildTests({ params: { group }, query })
    for (const { run_id: runId, test, error } of data)
      if (error) errors.set(keyOf(runId, test.name), error.message)
    if (meta.next_cursor === null) break
    cursor = meta.next_cursor
  }
  return errors
}

function keyOf(runId: string, name: string): string {
  return `${runId} ${name}`
}
