import { type Client, MAX_PAGE_LIMIT, type PhaseListItem, type RunListItem } from '@runledger/protocol'
import { isFailing } from '@runledger/presentation'
import type { RecordFilter } from './filter'
import { readVariable } from './runs'

/** So many of a test's last results are counted. */
export const MAX_RESULTS = 50

/** The longest name that can be asked for. */
const MAX_NAME = 255

/** What identifies a test. */
export interface TestName {
  procedure: { id: string; identifier: string; name: string }
  project: string | null
  file: string | null
  name: string
}

/** A run in which something happened to a test. */
export interface TestRun {
  run_id: string
  started_at: string | null
  branch: string | null
}

/** What became of a test in its last results. */
export interface History {
  results: number
  /** How often it failed, and how often it passed after an attempt that failed. */
  failed: number
  flaky: number
  last_outcome: PhaseListItem['outcome']
}

/** Counts, and the last runs in which the test failed, and passed after an attempt that failed. */
export interface TestResults {
  history: History
  last_failed: TestRun | null
  last_flaky: TestRun | null
}

/** The last results of tests, in their order; null for one whose results cannot be told from those of others. */
export async function readResults(
  client: Client,
  tests: readonly TestName[],
  filter: RecordFilter,
): Promise<(TestResults | null)[]> {
  const asked = new Map<string, Promise<PhaseListItem[]>>()
  const ofTests = await Promise.all(
    tests.map((test) => {
      const key = JSON.stringify([test.procedure.id, test.name])
      const results = asked.get(key) ?? listResults(client, test, filter)
      asked.set(key, results)
      return results
    }),
  )
  const runs = await readRuns(client, [...new Set(ofTests.flat().map(({ run_id: id }) => id))])
  return tests.map((test, index) => sumUp(test, { phases: ofTests[index] ?? [], runs, filter }))
}

async function listResults(
  client: Client,
  { procedure, name }: TestName,
  { since }: RecordFilter,
): Promise<PhaseListItem[]> {
  if (name.length > MAX_NAME) return []
  const query = { procedure_id: procedure.id, names: [name], started_after: since, limit: MAX_RESULTS }
  return (await client.listPhases({ query })).data
}

/** Runs with their report variables, by their ids. */
async function readRuns(client: Client, ids: readonly string[]): Promise<Map<string, RunListItem>> {
  const pages: Promise<{ data: RunListItem[] }>[] = []
  for (let from = 0; from < ids.length; from += MAX_PAGE_LIMIT) {
    const some = ids.slice(from, from + MAX_PAGE_LIMIT)
    pages.push(client.listRuns({ query: { ids: some, include_metadata: true, limit: MAX_PAGE_LIMIT } }))
  }
  return new Map((await Promise.all(pages)).flatMap(({ data }) => data).map((run) => [run.id, run]))
}

interface Results {
  /** Everything of that name, the newest first. */
  phases: readonly PhaseListItem[]
  runs: ReadonlyMap<string, RunListItem>
  filter: RecordFilter
}

function sumUp(test: TestName, { phases, runs, filter: { branches } }: Results): TestResults | null {
  const own = phases.flatMap((phase) => {
    const run = runs.get(phase.run_id)
    if (!run || phase.outcome === 'SKIP' || !isRunOf(run, test)) return []
    const branch = readVariable(run, 'git_branch') ?? null
    return branches?.length && (branch === null || !branches.includes(branch)) ? [] : [{ phase, branch }]
  })
  const [last] = own
  if (!last) return null
  const failed = own.filter(({ phase }) => isFailing(phase.outcome))
  const flaky = own.filter(({ phase }) => phase.flaky)
  return {
    history: {
      results: own.length,
      failed: failed.length,
      flaky: flaky.length,
      last_outcome: last.phase.outcome,
    },
    last_failed: toTestRun(failed[0]),
    last_flaky: toTestRun(flaky[0]),
  }
}

/** Whether a result of the test's name in this run is of the test. A run of several files names none. */
function isRunOf(run: RunListItem, { project, file }: TestName): boolean {
  const ofRun = readVariable(run, 'file')
  return (readVariable(run, 'project') ?? null) === project && (ofRun === undefined || ofRun === file)
}

function toTestRun(result: { phase: PhaseListItem; branch: string | null } | undefined): TestRun | null {
  if (!result) return null
  const { run_id, started_at } = result.phase
  return { run_id, started_at, branch: result.branch }
}
