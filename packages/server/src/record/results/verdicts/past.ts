import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { findEnvironment } from '../builds/build-facts'
import type { FailedRun, TestResult } from './rules'
import {
  type FailureRow,
  listPastRuns,
  listResults,
  listRunFacts,
  listRunsOfCommits,
  listRunsOfUnits,
  type RunFactsRow,
  type RunOfUnit,
  type RunVariables,
  type Suite,
} from './store'

export interface Run extends FailedRun {
  /** The file of a project and procedure, up to this run. */
  suite: Suite
  suiteKey: string
}

export async function readRuns(query: Query, ids: readonly number[]): Promise<Map<number, Run>> {
  const rows = ids.length === 0 ? [] : await listRunFacts(query, ids)
  return new Map(rows.map((row) => [row.id, mapRun(row)]))
}

function mapRun({ variables, ...row }: RunFactsRow): Run {
  const known = parseVariables(variables)
  const { file, project, group } = known
  return {
    id: row.id,
    public_id: row.public_id,
    started_at_us: row.started_at_us,
    branch: known.git_branch ?? null,
    commit: known.git_commit ?? null,
    build: group === undefined ? `run ${row.id}` : `group ${group}`,
    buildAttempt: `${group ?? row.id} ${known.ci_rerun ?? ''}`,
    environment: findEnvironment(known) ?? '',
    isOfSoftware: known.git_branch !== undefined || known.git_commit !== undefined,
    unitId: row.unit_id,
    isOfSample: row.sample !== null,
    buildId: row.build_id,
    isOfRequest: known.pull_request !== undefined,
    isOfCi: known.ci !== undefined && known.ci !== 'false',
    mergeBase: known.git_merge_base ?? null,
    defaultBranch: known.git_default_branch ?? null,
    suite: {
      procedure_id: row.procedure_id,
      file: file === undefined ? undefined : Number(file),
      project: project === undefined ? undefined : Number(project),
      started_at_us: row.started_at_us,
      before: row.id,
    },
    suiteKey: `${row.procedure_id} ${file} ${project}`,
  }
}

/** An empty text counts as absent: some clients send a variable of their environment whether it is set or not. */
function parseVariables(variables: string): RunVariables {
  const sent = Object.entries(JSON.parse(variables) as RunVariables)
  return Object.fromEntries(sent.filter(([, text]) => text !== ''))
}

/** About how many rows of past runs, and how many runs of a suite, are read at most. */
const MAX_PAST_ROWS = 100_000
const MAX_PAST_RUNS = 1_000
/** Enough for the last 100 units, with their retests. */
const MAX_RUNS_OF_OTHERS = 500

interface Failed {
  runs: ReadonlyMap<number, Run>
  failures: readonly FailureRow[]
  rows: number
}

export async function readPast(query: Query, { runs, failures, rows }: Failed): Promise<Past> {
  const failed = [...runs.values()]
  const ofSoftware = failed.filter(({ isOfSoftware }) => isOfSoftware)
  const ofUnits = failed.filter(({ isOfSoftware }) => !isOfSoftware)
  const limit = Math.ceil(Math.min(MAX_PAST_RUNS, MAX_PAST_ROWS / Math.max(1, rows)))
  const bases = new Set(ofSoftware.flatMap(({ mergeBase }) => mergeBase ?? []))
  const ids = await Promise.all([
    listPastRuns(query, listSuites(ofSoftware), limit),
    listRunsOfCommits(query, [...bases]),
    listRunsOfUnits(query, ofUnits.map(mapRunOfUnit), limit),
    listPastRuns(
      query,
      ofUnits.map(({ suite }) => suite),
      Math.min(limit, MAX_RUNS_OF_OTHERS),
    ),
  ])
  const suites = new Set(failed.map(({ suiteKey }) => suiteKey))
  const found = await readRuns(query, [...new Set(ids.flat())])
  const past = [...found.values()].filter(({ suiteKey }) => suites.has(suiteKey)).sort((a, b) => b.id - a.id)
  const results = await listResults(
    query,
    past.map(({ id }) => id),
    [...new Set(failures.map(({ definition_id: id }) => id))],
  )
  return new Past(past, results)
}

function mapRunOfUnit({ unitId, suite }: Run): RunOfUnit {
  return { unit_id: unitId, procedure_id: suite.procedure_id, started_at_us: suite.started_at_us }
}

function listSuites(runs: readonly Run[]): Suite[] {
  return [...groupBy(runs, ({ suiteKey }) => suiteKey).values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const last = others.reduce((a, b) => (b.id > a.id ? b : a), first)
    const startedAtUs = Math.max(...[first, ...others].map(({ started_at_us: us }) => us))
    return [{ ...last.suite, started_at_us: startedAtUs }]
  })
}

const OUTCOMES = ['passed', 'retried', 'failed'] as const

class Past {
  readonly #runs: readonly Run[]
  readonly #results: ReadonlyMap<number, { fileId: number | null; results: number[] }[]>

  constructor(runs: readonly Run[], rows: Awaited<ReturnType<typeof listResults>>) {
    this.#runs = runs
    const parsed = rows.map(({ definition_id: id, file_id: fileId, results }) => {
      return { id, fileId, results: JSON.parse(results) as number[] }
    })
    this.#results = groupBy(parsed, ({ id }) => id)
  }

  /** Returns the keys of builds in which an attempt of one of the tests failed. */
  listTroubledBuilds(): number[] {
    const troubled = [...this.#results.values()]
      .flatMap((ofTest) => ofTest.flatMap(({ results }) => results))
      .filter((result) => OUTCOMES[result % 3] !== 'passed')
    const runs = new Set(troubled.map((result) => this.#runs[Math.floor(result / 3)]))
    return [...runs].flatMap((run) => run?.buildId ?? [])
  }

  /** In all runs of the suite, the last received first. */
  listResults({ definition_id: id, file_id: fileId }: FailureRow, run: Run): TestResult[] {
    const ofTest = (this.#results.get(id) ?? [])
      // A phase that does not say where its test is declared has the file of its run.
      .filter((one) => one.fileId === fileId || one.fileId === null || fileId === null)
      .flatMap(({ results }) => results)
      .sort((a, b) => a - b)
    return ofTest.flatMap((result) => {
      const past = this.#runs[Math.floor(result / 3)]
      if (!past || past.suiteKey !== run.suiteKey) return []
      return [{ run: past, outcome: OUTCOMES[result % 3] as TestResult['outcome'] }]
    })
  }
}
