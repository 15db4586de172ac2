import { type ListVerdictsQuery, MAX_VERDICT_RUNS, MAX_VERDICTS, type Sample } from '@runledger/protocol'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { digestMetadata } from '../../catalogue/metadata/store'
import { hasFailedBefore } from '../phases/store'
import { createRunFilters } from '../filter-store'

export async function listFailedRuns(query: Query, { ids, group }: ListVerdictsQuery): Promise<number[]> {
  const filters = createRunFilters({ ids, metadata: group ? { group: { in: [group] } } : undefined })
  const rows = await query
    .selectFrom('live_runs as runs')
    .select('runs.id')
    .where((where) => where.and(filters))
    .where('runs.outcome', '!=', 'PASS')
    .orderBy('runs.id')
    .limit(MAX_VERDICT_RUNS)
    .execute()
  return rows.map(({ id }) => id)
}

const IS_FAILURE = sql<SqlBool>`outcome IN ('FAIL', 'ERROR') AND is_final_attempt = 1
  AND parent_index IS NULL`

/** Rows in phases and report variables, and failures: failed phases of no other phase. */
export async function countFailures(query: Query, runIds: readonly number[]) {
  const ofRuns = isInList(query, 'run_id', runIds)
  const { rows } = await sql<{ rows: number; failures: number }>`SELECT
      count(*) + (SELECT count(*) FROM run_metadata WHERE ${ofRuns}) AS rows,
      count(*) FILTER (WHERE ${IS_FAILURE}) AS failures
    FROM phases WHERE ${ofRuns}`.execute(query)
  return rows[0] ?? { rows: 0, failures: 0 }
}

export interface FailureRow {
  run_id: number
  id: number
  name: string
  definition_id: number
  file_id: number | null
  /** 1 if there were several attempts and none passed. */
  has_failed_again: 0 | 1
}

/** In the order of the runs and of their phases. */
export async function listFailures(query: Query, runIds: readonly number[]): Promise<FailureRow[]> {
  const { rows } = await sql<FailureRow>`SELECT run_id, phases.id, name, definition_id, file_id,
      CASE WHEN retry_count > 0 AND NOT EXISTS (SELECT 1 FROM phase_attempts AS earlier
        WHERE earlier.run_id = phases.run_id AND earlier.phase_id = phases.id AND earlier.outcome = 'PASS')
      THEN 1 ELSE 0 END AS has_failed_again
    FROM phases JOIN definitions ON definitions.id = definition_id
    WHERE ${isInList(query, 'run_id', runIds)} AND ${IS_FAILURE}
    ORDER BY run_id, phases.id LIMIT ${MAX_VERDICTS}`.execute(query)
  return rows
}

const VARIABLES = [
  'git_branch',
  'git_commit',
  'git_merge_base',
  'git_default_branch',
  'group',
  'ci',
  'ci_rerun',
  'pull_request',
  'node',
  'os',
] as const

export interface RunFactsRow {
  id: number
  public_id: string
  procedure_id: number
  unit_id: number
  build_id: number | null
  started_at_us: number
  /** The sample kind of its unit, null for production units. */
  sample: Sample | null
  /** JSON of an object: `file` and `project` have keys as texts, the others texts. */
  variables: string
}

export type RunVariables = Partial<Record<(typeof VARIABLES)[number] | 'file' | 'project', string>>

export async function listRunFacts(query: Query, runIds: readonly number[]): Promise<RunFactsRow[]> {
  const { eachOf, objectOfGroup } = query.engine
  const value = sql`CASE WHEN name IN ('file', 'project') THEN CAST(value_id AS text) ELSE text_value END`
  const { rows } =
    await sql<RunFactsRow>`SELECT runs.id, public_id, procedure_id, unit_id, build_id, started_at_us,
      (SELECT sample FROM units WHERE units.id = unit_id) AS sample,
      (SELECT ${objectOfGroup(sql`name`, value)}
        FROM run_metadata JOIN metadata_values ON metadata_values.id = value_id
        WHERE run_id = runs.id AND name IN ('file', 'project', ${sql.join(VARIABLES)})) AS variables
    FROM ${eachOf(runIds, 'wanted')} CROSS JOIN live_runs AS runs WHERE runs.id = wanted.value`.execute(query)
  return rows
}

/** Runs of one file of a project and procedure, before one of them. */
export interface Suite extends Pick<RunFactsRow, 'procedure_id' | 'started_at_us'> {
  file: number | undefined
  project: number | undefined
  before: number
}

/** More runs are read by this factor, because other projects and procedures may have files of the same name. */
const NAMESAKES = 10

/** The last of each suite, at most `limit` each; if no file is named, those of the procedure. */
export async function listPastRuns(query: Query, suites: readonly Suite[], limit: number): Promise<number[]> {
  if (suites.length === 0) return []
  const found = query.engine.firstsOfEach(suites, (suite) => selectPastRuns(suite, limit))
  const { rows } = await sql<{ id: number }>`SELECT DISTINCT firsts.value AS id FROM ${found}`.execute(query)
  return rows.map(({ id }) => id)
}

function selectPastRuns(suite: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  const of = (name: keyof Suite) => sql`CAST(${suite} ->> ${sql.lit(name)} AS bigint)`
  const isOfProject = sql`(${of('project')} IS NULL OR EXISTS (SELECT 1 FROM run_metadata AS projects
    WHERE projects.value_id = ${of('project')} AND projects.run_id = past.id))`
  return sql`SELECT past.id AS key FROM (
      SELECT id FROM (SELECT past.id FROM (SELECT run_id FROM run_metadata
          WHERE value_id = ${of('file')} AND run_id < ${of('before')} ORDER BY run_id DESC LIMIT ${limit * NAMESAKES}) AS named
        JOIN runs AS past ON past.id = named.run_id
        WHERE past.procedure_id = ${of('procedure_id')} AND ${isOfProject}
        ORDER BY past.id DESC LIMIT ${limit}) AS of_file
      UNION ALL SELECT id FROM (SELECT id FROM runs WHERE ${of('file')} IS NULL
        AND procedure_id = ${of('procedure_id')} AND started_at_us <= ${of('started_at_us')}
        ORDER BY started_at_us DESC LIMIT ${limit}) AS of_procedure
    ) AS past WHERE ${isOfProject}`
}

export type RunOfUnit = Pick<RunFactsRow, 'procedure_id' | 'unit_id' | 'started_at_us'>

/** The last up to the start of one, and the first from there on, at most `limit` of each. */
export async function listRunsOfUnits(
  query: Query,
  runs: readonly RunOfUnit[],
  limit: number,
): Promise<number[]> {
  if (runs.length === 0) return []
  const found = query.engine.firstsOfEach(runs, (run) => selectRunsOfUnit(run, limit))
  const { rows } = await sql<{ id: number }>`SELECT DISTINCT firsts.value AS id FROM ${found}`.execute(query)
  return rows.map(({ id }) => id)
}

/** More runs are read by this factor, because a unit has runs in other procedures too. */
const PROCEDURES_OF_UNIT = 10

function selectRunsOfUnit(run: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  const of = (name: keyof RunOfUnit) => sql`CAST(${run} ->> ${sql.lit(name)} AS bigint)`
  const select = (from: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`SELECT id FROM (
    SELECT id FROM (SELECT id, procedure_id, started_at_us FROM runs
        WHERE unit_id = ${of('unit_id')} AND started_at_us ${from} ${of('started_at_us')}
        ORDER BY started_at_us ${order}, id ${order} LIMIT ${limit * PROCEDURES_OF_UNIT}) AS of_unit
      WHERE procedure_id = ${of('procedure_id')}
      ORDER BY started_at_us ${order}, id ${order} LIMIT ${limit}) AS of_procedure`
  return sql`SELECT id AS key FROM (${select(sql`<=`, sql`DESC`)} UNION ALL ${select(sql`>=`, sql`ASC`)}) AS about`
}

const MAX_RUNS_OF_COMMITS = 1_000

/** The last runs of any of these commits. */
export async function listRunsOfCommits(query: Query, commits: readonly string[]): Promise<number[]> {
  if (commits.length === 0) return []
  const digests = commits.map((commit) => digestMetadata('git_commit', commit))
  const { rows } = await sql<{ id: number }>`SELECT run_id AS id FROM run_metadata
    WHERE value_id IN (SELECT id FROM metadata_values WHERE ${isInList(query, 'digest', digests)})
    ORDER BY run_id DESC LIMIT ${MAX_RUNS_OF_COMMITS}`.execute(query)
  return rows.map(({ id }) => id)
}

/** Packed: the index of the run in the list, times 3, plus 0 for passed, 1 for passed after a failed attempt, 2 for failed. */
export interface ResultsRow {
  definition_id: number
  file_id: number | null
  results: string
}

/** One row for each test: a row for each run would make a hundred thousand. */
export async function listResults(
  query: Query,
  runIds: readonly number[],
  definitionIds: readonly number[],
): Promise<ResultsRow[]> {
  const { eachOf, listOfGroup } = query.engine
  const result = sql`past.key * 3 + CASE WHEN outcome <> 'PASS' THEN 2
    WHEN ${hasFailedBefore(sql.ref('phases.run_id'))} THEN 1 ELSE 0 END`
  const { rows } = await sql<ResultsRow>`SELECT definition_id, file_id, ${listOfGroup(result)} AS results
    FROM ${eachOf(runIds, 'past')} CROSS JOIN phases
    WHERE phases.run_id = past.value AND ${isInList(query, 'definition_id', definitionIds)}
      AND outcome <> 'SKIP' AND is_final_attempt = 1 AND parent_index IS NULL
    GROUP BY definition_id, file_id`.execute(query)
  return rows
}
