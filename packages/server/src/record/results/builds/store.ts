import { sql } from 'kysely'
import { US_PER_MS } from '../../../base/clock'
import type { Query } from '../../../storage/database/database'
import { firstKeyAt } from '../../../storage/database/keys'
import { inChunks, isInList } from '../../../storage/database/rows'
import type { ExecutionsTable } from '../../../storage/database/schema/executions'
import { digestMetadata, HAS_NO_RUN } from '../../catalogue/metadata/store'

/** Report variables that a build depends on. */
const VARIABLES = [
  'framework',
  'shard',
  'shard_index',
  'shard_total',
  'git_branch',
  'git_commit',
  'ci_build_url',
  'repository',
] as const

type Variable = (typeof VARIABLES)[number]

/** Runs of a group that are alike in their procedure and these variables. */
export interface ReportRow extends Record<Variable, string | null> {
  procedure_id: number
  runs: number
  failed: number
  started_at_us: number
  first_created_at_us: number
  last_created_at_us: number
}

const MAX_REPORTS = 5_000

/** Facts about the build that the runs of a group name. */
export async function listReports(query: Query, group: string): Promise<ReportRow[]> {
  const columns = sql.join(VARIABLES.map((name) => sql.ref(name)))
  const columnsOfRun = sql`procedure_id, outcome, started_at_us, created_at_us`
  // An empty text counts as absent: some clients send a variable of their environment whether it is set or not.
  const values = VARIABLES.map(
    (name) => sql`max(CASE WHEN name = ${sql.lit(name)} THEN NULLIF(text_value, '') END) AS ${sql.ref(name)}`,
  )
  const { rows } = await sql<ReportRow>`SELECT procedure_id, ${columns}, count(*) AS runs,
      count(*) FILTER (WHERE outcome <> 'PASS') AS failed, min(started_at_us) AS started_at_us,
      min(created_at_us) AS first_created_at_us, max(created_at_us) AS last_created_at_us
    FROM (SELECT runs.id, ${columnsOfRun}, ${sql.join(values)}
      FROM live_runs AS runs JOIN run_metadata ON run_metadata.run_id = runs.id
      JOIN metadata_values ON metadata_values.id = run_metadata.value_id
      WHERE runs.id IN (SELECT run_id FROM run_metadata WHERE value_id IN
          (SELECT id FROM metadata_values WHERE digest = ${digestMetadata('group', group)}))
        AND name IN ('group', ${sql.join(VARIABLES)})
      GROUP BY runs.id, ${columnsOfRun}) AS of_group
    GROUP BY procedure_id, ${columns} LIMIT ${MAX_REPORTS}`.execute(query)
  return rows.map((row) => ({ ...row, runs: Number(row.runs), failed: Number(row.failed) }))
}

/** Most executions of one group that one station, or all users together, may report. */
export const MAX_EXECUTIONS = 1_000
const MAX_LISTED = 5_000

/** Executions of a group, in the order in which they were received. */
export async function listExecutions(query: Query, group: string): Promise<ExecutionsTable[]> {
  return query
    .selectFrom('executions')
    .selectAll()
    .where('group_digest', '=', digestMetadata('group', group))
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()
}

export interface LaterBuilds {
  group: string
  branch: string
  procedureIds: readonly number[]
  /** When the service first received something of the build. */
  afterUs: number
}

const MAX_LATER_RUNS = 500

/** Other groups with runs or executions of the branch and of one of the procedures, received after a time. */
export async function listLaterGroups(
  query: Query,
  { group, branch, procedureIds, afterUs }: LaterBuilds,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT DISTINCT groups.text_value AS name FROM (SELECT run_id FROM run_metadata
        WHERE value_id IN (SELECT id FROM metadata_values WHERE digest = ${digestMetadata('git_branch', branch)})
          AND run_id > ${firstKeyAt(Math.floor(afterUs / US_PER_MS))}
        ORDER BY run_id DESC LIMIT ${MAX_LATER_RUNS}) AS of_branch
      JOIN live_runs AS runs ON runs.id = of_branch.run_id
      JOIN run_metadata ON run_metadata.run_id = runs.id
      JOIN metadata_values AS groups ON groups.id = run_metadata.value_id
      WHERE groups.name = 'group' AND groups.text_value <> ${group}
        AND ${isInList(query, 'procedure_id', procedureIds)}
    UNION SELECT group_name AS name FROM executions
      WHERE git_branch = ${branch} AND created_at_us > ${afterUs} AND group_name <> ${group}
        AND ${isInList(query, 'procedure_id', procedureIds)}`.execute(query)
  return rows.map(({ name }) => name)
}

export async function findExecution(query: Query, publicId: string): Promise<ExecutionsTable | undefined> {
  return query.selectFrom('executions').selectAll().where('public_id', '=', publicId).executeTakeFirst()
}

/** How many executions of a group a station has reported; null stands for all users. */
export async function countExecutions(
  query: Query,
  group: string,
  stationId: number | null,
): Promise<number> {
  const { count } = await query
    .selectFrom('executions')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('group_digest', '=', digestMetadata('group', group))
    .where('created_by_station_id', 'is not distinct from', stationId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

type NewExecution = Omit<ExecutionsTable, 'group_digest'>

export async function insertExecution(query: Query, execution: NewExecution): Promise<void> {
  const group_digest = digestMetadata('group', execution.group_name)
  await query
    .insertInto('executions')
    .values({ ...execution, group_digest })
    .execute()
}

export async function endExecution(
  query: Query,
  id: number,
  end: Pick<ExecutionsTable, 'ended_at_us' | 'missing_runs'>,
): Promise<void> {
  await query.updateTable('executions').set(end).where('id', '=', id).execute()
}

/** Deletes the executions of groups without runs; the groups are among these entries of metadata. */
export async function deleteExecutionsOfGroups(query: Query, valueIds: readonly number[]): Promise<void> {
  for (const chunk of inChunks(valueIds)) {
    const groups = await query
      .selectFrom('metadata_values')
      .select('digest')
      .where('id', 'in', chunk)
      .where('name', '=', 'group')
      .where(HAS_NO_RUN)
      .execute()
    const digests = groups.map(({ digest }) => digest)
    if (digests.length > 0)
      await query.deleteFrom('executions').where('group_digest', 'in', digests).execute()
  }
}

/** Keys of executions that were received before a time, and whose group has no runs. */
export async function listIdleExecutions(query: Query, beforeUs: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM executions
    WHERE created_at_us < ${beforeUs} AND NOT EXISTS (SELECT 1 FROM run_metadata
      WHERE value_id IN (SELECT metadata_values.id FROM metadata_values WHERE digest = group_digest))
    ORDER BY created_at_us LIMIT ${limit}`.execute(query)
  return rows.map(({ id }) => id)
}

export async function deleteExecutions(query: Query, ids: readonly number[]): Promise<void> {
  await query.deleteFrom('executions').where('id', 'in', ids).execute()
}
