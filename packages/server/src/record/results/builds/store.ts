import { foldIdentifier, type ListBuildsQuery, parseTimestampUs } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { inChunks, isInList } from '../../../storage/database/rows'
import { isOneOf } from '../../../storage/database/conditions'
import type { ExecutionsTable } from '../../../storage/database/schema/executions'
import type { BuildsTable } from '../../../storage/database/schema/history'
import { selectPage } from '../../../storage/database/sorted-page'
import { deleteEmptyBuilds } from './build-store'
import { shortenFact } from './build-facts'
import { digestMetadata, HAS_NO_RUN } from '../../catalogue/metadata/store'

/** Runs that share their procedure and shard. */
export interface ReportRow {
  build_id: number
  procedure_id: number
  /** `vitest 2/4` */
  shard: string | null
  runs: number
  failed: number
  started_at_us: number
  ended_at_us: number
  last_created_at_us: number
}

export async function listReports(query: Query, buildIds: readonly number[]): Promise<ReportRow[]> {
  if (buildIds.length === 0) return []
  const { rows } = await sql<ReportRow>`SELECT build_id, procedure_id, shard, count(*) AS runs,
      count(*) FILTER (WHERE outcome <> 'PASS') AS failed, min(started_at_us) AS started_at_us,
      max(ended_at_us) AS ended_at_us, max(created_at_us) AS last_created_at_us
    FROM live_runs WHERE build_id IN (${sql.join(buildIds)})
    GROUP BY build_id, procedure_id, shard`.execute(query)
  return rows.map((row) => ({ ...row, runs: Number(row.runs), failed: Number(row.failed) }))
}

export interface ResultCountsRow {
  passed: number
  flaky: number
  failed: number
  skipped: number
}

export async function countResults(
  query: Query,
  buildIds: readonly number[],
): Promise<Map<number, ResultCountsRow>> {
  if (buildIds.length === 0) return new Map()
  const { rows } = await sql<ResultCountsRow & { build_id: number }>`SELECT build_id, sum(passed) AS passed,
      sum(flaky) AS flaky, sum(run_suites.failed) AS failed, sum(skipped) AS skipped
    FROM live_runs AS runs JOIN run_suites ON run_suites.run_id = runs.id
    WHERE build_id IN (${sql.join(buildIds)}) GROUP BY build_id`.execute(query)
  return new Map(rows.map(({ build_id: id, ...counts }) => [id, counts]))
}

interface ProcedureReference {
  id: string
  identifier: string
  name: string
}

/** By name. */
export async function listProcedureReferences(
  query: Query,
  buildIds: readonly number[],
): Promise<Map<number, ProcedureReference[]>> {
  if (buildIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('build_procedures')
    .innerJoin('live_procedures as procedures', 'procedures.id', 'build_procedures.procedure_id')
    .select(['build_id', 'procedures.public_id', 'procedures.identifier', 'procedures.name'])
    .where('build_id', 'in', buildIds)
    .orderBy('procedures.name_folded')
    .execute()
  const byBuild = new Map<number, ProcedureReference[]>()
  for (const { build_id: id, public_id: publicId, identifier, name } of rows) {
    const reference = { id: publicId, identifier, name }
    byBuild.set(id, [...(byBuild.get(id) ?? []), reference])
  }
  return byBuild
}

export async function findBuild(query: Query, group: string): Promise<BuildsTable | undefined> {
  return query
    .selectFrom('builds')
    .selectAll()
    .where('group_digest', '=', digestMetadata('group', shortenFact('group', group)))
    .executeTakeFirst()
}

/** As the last build with one names it; null if none does. */
export async function findDefaultBranch(query: Query, procedureId: number): Promise<string | null> {
  const row = await query
    .selectFrom('build_procedures')
    .innerJoin('builds', 'builds.id', 'build_procedures.build_id')
    .select('default_branch')
    .where('procedure_id', '=', procedureId)
    .where('default_branch', 'is not', null)
    .orderBy('build_procedures.started_at_us', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.default_branch ?? null
}

export const IS_LIVE = sql<SqlBool>`EXISTS (SELECT 1 FROM build_procedures
  JOIN live_procedures ON live_procedures.id = procedure_id WHERE build_id = builds.id)`

export async function listBuilds(query: Query, list: ListBuildsQuery): Promise<BuildsTable[]> {
  const select = query.selectFrom('builds').selectAll()
  const page = { ...list, sort_by: 'started_at' as const, sort_order: 'desc' as const }
  return selectPage(query, select, {
    table: 'builds',
    sortValues: { started_at: 'builds.started_at_us' },
    filters: [IS_LIVE, ...createFilters(list)],
    list: page,
  })
}

function createFilters(list: ListBuildsQuery): Expression<SqlBool>[] {
  const after = list.started_after && parseTimestampUs(list.started_after)
  const before = list.started_before && parseTimestampUs(list.started_before)
  return [
    ...hasProcedure(list.procedure_ids),
    ...isOneOf('builds.branch', list.branches),
    ...isOneOf('builds.author', list.authors),
    ...beginsWith(list.commits),
    ...(after === undefined ? [] : [sql<SqlBool>`builds.started_at_us >= ${after}`]),
    ...(before === undefined ? [] : [sql<SqlBool>`builds.started_at_us < ${before}`]),
  ]
}

function hasProcedure(sent: readonly string[] | undefined): Expression<SqlBool>[] {
  if (!sent?.length) return []
  const names = sql.join(sent.map(foldIdentifier))
  return [
    sql<SqlBool>`builds.id IN (SELECT build_id FROM build_procedures WHERE procedure_id IN
      (SELECT id FROM live_procedures WHERE public_id IN (${names}) OR identifier_folded IN (${names})))`,
  ]
}

function beginsWith(commits: readonly string[] | undefined): Expression<SqlBool>[] {
  if (!commits?.length) return []
  const each = commits.map((commit) => sql`substr(git_commit, 1, ${commit.length}) = ${commit.toLowerCase()}`)
  return [sql<SqlBool>`(${sql.join(each, sql` OR `)})`]
}

const MAX_LATER_BUILDS = 10

const HAS_SAME_PROCEDURE = (id: number) => sql<SqlBool>`EXISTS (SELECT 1 FROM build_procedures AS own
  JOIN build_procedures AS other ON other.procedure_id = own.procedure_id
  WHERE own.build_id = ${id} AND other.build_id = builds.id)`

/** First received after this one, with the same branch and repository, and a common procedure. */
export async function listLaterBuilds(
  query: Query,
  { id, branch, repository, created_at_us: createdAtUs }: BuildsTable,
): Promise<BuildsTable[]> {
  return query
    .selectFrom('builds')
    .selectAll()
    .where('branch', '=', branch)
    .where('created_at_us', '>', createdAtUs)
    .where('repository', 'is not distinct from', repository)
    .where(HAS_SAME_PROCEDURE(id))
    .orderBy('created_at_us')
    .limit(MAX_LATER_BUILDS)
    .execute()
}

/** On the same branch, with a common procedure. */
export async function findPreviousBuild(
  query: Query,
  { id, branch, started_at_us: startedAtUs }: BuildsTable,
): Promise<BuildsTable | undefined> {
  return query
    .selectFrom('builds')
    .selectAll()
    .where('branch', 'is not distinct from', branch)
    .where('started_at_us', '<', startedAtUs)
    .where(HAS_SAME_PROCEDURE(id))
    .orderBy('started_at_us', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Of one group, by one station or by all users together. */
export const MAX_EXECUTIONS = 1_000
const MAX_LISTED = 5_000

/** In the order received. */
export async function listExecutionsOfBuilds(
  query: Query,
  digests: readonly string[],
): Promise<ExecutionsTable[]> {
  if (digests.length === 0) return []
  return query
    .selectFrom('executions')
    .selectAll()
    .where(isInList(query, 'group_digest', digests))
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()
}

export async function findExecution(query: Query, publicId: string): Promise<ExecutionsTable | undefined> {
  return query.selectFrom('executions').selectAll().where('public_id', '=', publicId).executeTakeFirst()
}

/** Of a station, or of a procedure by users and project keys. */
export async function countExecutions(
  query: Query,
  group: string,
  { stationId, procedureId }: { stationId: number | null; procedureId: number },
): Promise<number> {
  const ofBuild = query
    .selectFrom('executions')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('group_digest', '=', digestMetadata('group', group))
  const own =
    stationId === null
      ? ofBuild.where('created_by_station_id', 'is', null).where('procedure_id', '=', procedureId)
      : ofBuild.where('created_by_station_id', '=', stationId)
  const { count } = await own.executeTakeFirstOrThrow()
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

/** Only groups without runs; the groups are among these entries of metadata. */
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

/** Received before a time, and their group has no runs. */
export async function listIdleExecutions(query: Query, beforeUs: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM executions
    WHERE created_at_us < ${beforeUs} AND NOT EXISTS (SELECT 1 FROM run_metadata
      WHERE value_id IN (SELECT metadata_values.id FROM metadata_values WHERE digest = group_digest))
    ORDER BY created_at_us LIMIT ${limit}`.execute(query)
  return rows.map(({ id }) => id)
}

export async function deleteExecutions(query: Query, ids: readonly number[]): Promise<void> {
  const builds = await query
    .selectFrom('executions')
    .innerJoin('builds', 'builds.group_digest', 'executions.group_digest')
    .select('builds.id')
    .where('executions.id', 'in', ids)
    .execute()
  await query.deleteFrom('executions').where('id', 'in', ids).execute()
  await deleteEmptyBuilds(
    query,
    builds.map(({ id }) => id),
  )
}
