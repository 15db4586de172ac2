import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { groupBy, isInList } from '../../../storage/database/rows'
import type { ExecutionsTable } from '../../../storage/database/schema/executions'
import { type BuildFacts, isHistoryVariable, readHistoryFacts } from './build-facts'
import { deleteEmptyBuilds } from './build-store'
import { listExecutionsOfBuilds } from './store'

interface KnownBuild {
  id: number
  group_digest: string
}

/** After some of their runs or executions were deleted or changed. Empty builds are deleted. */
export async function refreshBuilds(query: Query, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await deleteEmptyBuilds(query, ids)
  await deleteIdleProcedures(query, ids)
  const builds = await query
    .selectFrom('builds')
    .select(['id', 'group_digest'])
    .where(isInList(query, 'id', ids))
    .execute()
  if (builds.length === 0) return
  await updateBuilds(query, builds)
}

/** Without runs and executions of the build. */
async function deleteIdleProcedures(query: Query, ids: readonly number[]): Promise<void> {
  await sql`DELETE FROM build_procedures WHERE ${isInList(query, 'build_id', ids)}
    AND NOT EXISTS (SELECT 1 FROM runs
      WHERE runs.build_id = build_procedures.build_id AND runs.procedure_id = build_procedures.procedure_id)
    AND NOT EXISTS (SELECT 1 FROM executions JOIN builds ON builds.group_digest = executions.group_digest
      WHERE builds.id = build_procedures.build_id
        AND executions.procedure_id = build_procedures.procedure_id)`.execute(query)
}

async function updateBuilds(query: Query, builds: readonly KnownBuild[]): Promise<void> {
  const ids = builds.map(({ id }) => id)
  const [variables, starts, executions] = await Promise.all([
    listVariables(query, ids),
    listStarts(query, ids),
    listExecutionsOfBuilds(
      query,
      builds.map(({ group_digest: digest }) => digest),
    ).then((all) => groupBy(all, ({ group_digest: digest }) => digest)),
  ])
  for (const { id, group_digest: digest } of builds) {
    const begun = executions.get(digest) ?? []
    const started = [...(starts.get(id) ?? []), ...begun].map(({ started_at_us: us }) => us)
    await query
      .updateTable('builds')
      .set({ ...findFacts(variables.get(id) ?? [], begun), started_at_us: Math.min(...started) })
      .where('id', '=', id)
      .execute()
  }
}

interface VariableRow {
  build_id: number
  name: string
  value: string
}

/** Of equal names, the one received first comes last. */
async function listVariables(query: Query, ids: readonly number[]): Promise<Map<number, VariableRow[]>> {
  const { rows } = await sql<VariableRow>`SELECT runs.build_id, name, text_value AS value
    FROM runs JOIN run_metadata ON run_metadata.run_id = runs.id
      JOIN metadata_values ON metadata_values.id = run_metadata.value_id
    WHERE ${isInList(query, 'runs.build_id', ids)} AND value_type = 'string' AND text_value <> ''
    GROUP BY runs.build_id, name, text_value ORDER BY min(runs.id) DESC`.execute(query)
  return groupBy(
    rows.filter(({ name }) => isHistoryVariable(name)),
    ({ build_id: id }) => id,
  )
}

async function listStarts(query: Query, ids: readonly number[]) {
  const { rows } = await sql<{ build_id: number; started_at_us: number }>`SELECT build_id,
      min(started_at_us) AS started_at_us
    FROM runs WHERE ${isInList(query, 'build_id', ids)} GROUP BY build_id`.execute(query)
  return groupBy(rows, ({ build_id: id }) => id)
}

function findFacts(
  variables: readonly VariableRow[],
  executions: readonly ExecutionsTable[],
): Omit<BuildFacts, 'group_name'> {
  const said = readHistoryFacts(
    variables.map(({ name, value }) => [name, value]),
    '',
  )
  const first = (column: 'git_branch' | 'git_commit' | 'ci_build_url' | 'repository') =>
    executions.find((execution) => execution[column])?.[column] ?? null
  return {
    branch: said?.build.branch ?? first('git_branch'),
    git_commit: said?.build.git_commit ?? first('git_commit'),
    commit_subject: said?.build.commit_subject ?? null,
    author: said?.build.author ?? null,
    pull_request: said?.build.pull_request ?? null,
    event: said?.build.event ?? null,
    ci_build_url: said?.build.ci_build_url ?? first('ci_build_url'),
    repository: said?.build.repository ?? first('repository'),
    default_branch: said?.build.default_branch ?? null,
  }
}
