import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { inChunks } from '../../../storage/database/rows'
import type { NamedTest } from './renames'
import { JOIN_RESULTS } from '../tests/result-joins'

export interface UncheckedBuild {
  id: number
  procedure_id: number
  /** Before it on its branch, with runs of the procedure. */
  previous_id: number | null
}

const MAX_BUILDS = 100

/** Builds with unchecked tests and no news since `quietUs`, oldest first. */
export async function listUncheckedBuilds(query: Query, quietUs: number): Promise<UncheckedBuild[]> {
  const { rows } = await sql<UncheckedBuild>`SELECT builds.id, own.procedure_id,
      (SELECT before.id FROM builds AS before JOIN build_procedures ON build_procedures.build_id = before.id
        WHERE build_procedures.procedure_id = own.procedure_id AND before.branch IS NOT DISTINCT FROM builds.branch
          AND before.started_at_us < builds.started_at_us
        ORDER BY before.started_at_us DESC LIMIT 1) AS previous_id
    FROM (SELECT DISTINCT runs.build_id, runs.procedure_id
      FROM tests JOIN test_results ON test_results.suite_id = tests.suite_id AND test_results.test_id = tests.id
        JOIN live_runs AS runs ON runs.id = test_results.run_id
      WHERE tests.rename_checked = 0 AND test_results.run_id =
        (SELECT min(first.run_id) FROM test_results AS first
          WHERE first.suite_id = tests.suite_id AND first.test_id = tests.id)) AS own
    JOIN builds ON builds.id = own.build_id
    WHERE (SELECT max(created_at_us) FROM runs WHERE runs.build_id = builds.id) < ${quietUs}
    ORDER BY builds.started_at_us LIMIT ${MAX_BUILDS}`.execute(query)
  return rows
}

interface TestOfBuild extends NamedTest {
  isUnchecked: boolean
}

export async function listTestsOfBuild(
  query: Query,
  buildId: number,
  procedureId: number,
): Promise<TestOfBuild[]> {
  const { rows } = await sql<{
    id: number
    suite_id: number
    project_id: number
    name: string
    rename_checked: number
  }>`SELECT DISTINCT tests.id, tests.suite_id, suites.project_id, definitions.name, tests.rename_checked
    FROM live_runs AS runs ${JOIN_RESULTS}
      JOIN tests ON tests.id = test_results.test_id JOIN suites ON suites.id = tests.suite_id
      JOIN definitions ON definitions.id = tests.definition_id
    WHERE runs.build_id = ${buildId} AND runs.procedure_id = ${procedureId} AND tests.alias_of IS NULL`.execute(
    query,
  )
  return rows.map((row) => ({
    id: row.id,
    suiteId: row.suite_id,
    projectId: row.project_id,
    name: row.name,
    isUnchecked: row.rename_checked === 0,
  }))
}

export async function listUnmergedTests(query: Query, ids: readonly number[]): Promise<Set<number>> {
  const found = new Set<number>()
  for (const chunk of inChunks(ids)) {
    const rows = await query
      .selectFrom('tests')
      .select('id')
      .where('id', 'in', chunk)
      .where('alias_of', 'is', null)
      .execute()
    for (const { id } of rows) found.add(id)
  }
  return found
}

export async function markChecked(query: Query, ids: readonly number[]): Promise<void> {
  for (const chunk of inChunks(ids))
    await query.updateTable('tests').set({ rename_checked: 1 }).where('id', 'in', chunk).execute()
}
