import {
  type FailureVerdict,
  formatTimestampUs,
  type ListVerdictsQuery,
  type VerdictList,
  VERDICTS,
} from '@runledger/protocol'
import { mapInTurns } from '../clock'
import type { Context } from '../context'
import type { Query } from '../database/database'
import { deriveUuid } from '../database/keys'
import { groupBy } from '../database/rows'
import type { Handlers } from '../http/handler'
import { deriveVerdict, type FailedRun, type Finding, type KnownRun, type TestResult } from './rules'
import {
  countFailures,
  type FailureRow,
  listFailedRuns,
  listFailures,
  listPastRuns,
  listResults,
  listRunFacts,
  listRunsOfCommits,
  type RunFactsRow,
  type RunVariables,
  type Suite,
} from './store'

export const VERDICT_HANDLERS: Handlers<'listVerdicts'> = {
  listVerdicts: ({ context, query }) => listVerdicts(context, query),
}

/** `GET /v2/verdicts`. */
async function listVerdicts({ database: { query } }: Context, list: ListVerdictsQuery): Promise<VerdictList> {
  const runIds = await listFailedRuns(query, list)
  const [counted, failures] = await Promise.all([countFailures(query, runIds), listFailures(query, runIds)])
  const runs = await readRuns(query, [...new Set(failures.map(({ run_id: id }) => id))])
  const past = await readPast(query, { runs, failures, rows: counted.rows })
  const data = await mapInTurns(failures, (failure) => {
    const run = runs.get(failure.run_id) as Run
    return mapVerdict(failure, run, deriveVerdict(run, past.listResults(failure, run)))
  })
  const count = (wanted: string) => data.filter(({ verdict }) => verdict === wanted).length
  return {
    data,
    counts: Object.fromEntries(VERDICTS.map((each) => [each, count(each)])) as VerdictList['counts'],
    more_failures: counted.failures - failures.length,
  }
}

interface Run extends FailedRun {
  /** The file of a project and procedure, up to this run. */
  suite: Suite
  suiteKey: string
}

async function readRuns(query: Query, ids: readonly number[]): Promise<Map<number, Run>> {
  const rows = ids.length === 0 ? [] : await listRunFacts(query, ids)
  return new Map(rows.map((row) => [row.id, mapRun(row)]))
}

function mapRun({ variables, ...row }: RunFactsRow): Run {
  const known = JSON.parse(variables) as RunVariables
  const { file, project, group, os, node } = known
  return {
    id: row.id,
    public_id: row.public_id,
    started_at_us: row.started_at_us,
    branch: known.git_branch ?? null,
    commit: known.git_commit ?? null,
    build: group === undefined ? `run ${row.id}` : `group ${group}`,
    buildAttempt: `${group ?? row.id} ${known.ci_rerun ?? ''}`,
    // `linux 6.8.0-45-generic x64` and `v22.13.0`: machines of one kind differ in the rest.
    environment: `${os?.split(' ', 1)[0]} ${node?.split('.', 1)[0]}`,
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

/** About so many rows are read of past runs, and so many runs of a suite at most. */
const MAX_PAST_ROWS = 100_000
const MAX_PAST_RUNS = 1_000

interface Failed {
  runs: ReadonlyMap<number, Run>
  failures: readonly FailureRow[]
  /** How much there is to read of the failed runs. */
  rows: number
}

/** The runs before those that failed, as far back as can be read at once. */
async function readPast(query: Query, { runs, failures, rows }: Failed): Promise<Past> {
  const failed = [...runs.values()]
  const limit = Math.ceil(Math.min(MAX_PAST_RUNS, MAX_PAST_ROWS / Math.max(1, rows)))
  const bases = new Set(failed.flatMap(({ mergeBase }) => mergeBase ?? []))
  const [ofSuites, ofCommits] = await Promise.all([
    listPastRuns(query, listSuites(failed), limit),
    listRunsOfCommits(query, [...bases]),
  ])
  const suites = new Set(failed.map(({ suiteKey }) => suiteKey))
  const found = await readRuns(query, [...new Set([...ofSuites, ...ofCommits])])
  const past = [...found.values()].filter(({ suiteKey }) => suites.has(suiteKey)).sort((a, b) => b.id - a.id)
  const results = await listResults(
    query,
    past.map(({ id }) => id),
    [...new Set(failures.map(({ definition_id: id }) => id))],
  )
  return new Past(past, results)
}

/** Each suite once, up to its last run. */
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

  /** What became of a test before the run, the newest first. */
  listResults({ definition_id: id, file_id: fileId }: FailureRow, run: Run): TestResult[] {
    const ofTest = (this.#results.get(id) ?? [])
      // A phase that does not say where its test is declared has the file of its run.
      .filter((one) => one.fileId === fileId || one.fileId === null || fileId === null)
      .flatMap(({ results }) => results)
      .sort((a, b) => a - b)
    return ofTest.flatMap((result) => {
      const past = this.#runs[Math.floor(result / 3)]
      if (!past || past.suiteKey !== run.suiteKey || past.id >= run.id) return []
      return [{ run: past, outcome: OUTCOMES[result % 3] as TestResult['outcome'] }]
    })
  }
}

function mapVerdict(
  { run_id: runId, id, name }: FailureRow,
  run: KnownRun,
  { verdict, basis, failingSince, lastPassed }: Finding,
): FailureVerdict {
  return {
    run_id: run.public_id,
    phase_id: deriveUuid('phase', { run_id: runId, id }),
    name,
    verdict,
    basis,
    failing_since: failingSince && { ...mapKnownRun(failingSince.run), builds: failingSince.builds },
    last_passed: lastPassed && mapKnownRun(lastPassed),
  }
}

function mapKnownRun({ public_id: id, started_at_us: startedAtUs, commit }: KnownRun) {
  return { id, started_at: formatTimestampUs(startedAtUs), commit }
}
