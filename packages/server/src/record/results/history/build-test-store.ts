import { foldIdentifier, type ListBuildTestsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { allOf, containsTyped } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { type BuildsTable, FAILED, FLAKY, PASSED, SKIPPED } from '../../../storage/database/schema/history'
import { beginning } from '../tests/listed-text'
import { JOIN_RESULTS, KEY_OF_TEST } from '../tests/result-joins'

/** A result of a test in a build. */
export interface BuildResultRow {
  test_id: number
  run_id: number
  public_id: string
  outcome: number
  duration_us: number
  error_group_id: number | null
}

const FROM_RESULTS = sql`live_runs AS runs ${JOIN_RESULTS}
  JOIN tests ON tests.id = test_results.test_id
  JOIN definitions ON definitions.id = tests.definition_id`

const CODES = { passed: PASSED, flaky: FLAKY, failed: FAILED, skipped: SKIPPED } as const

/** A page of the results of a build. The cursor is a place in the order: a build changes only while it runs. */
export async function listBuildResults(
  query: Query,
  buildId: number,
  { outcomes, search_query: text, sort_by, sort_order, limit, cursor = 0 }: ListBuildTestsQuery,
): Promise<{ rows: BuildResultRow[]; next: number | null }> {
  const filters: Expression<SqlBool>[] = [
    sql<SqlBool>`runs.build_id = ${buildId}`,
    ...(outcomes?.length
      ? [sql<SqlBool>`test_results.outcome IN (${sql.join(outcomes.map((name) => CODES[name]))})`]
      : []),
    ...(text
      ? [
          sql<SqlBool>`(${containsTyped('definitions.name', text)} OR EXISTS (SELECT 1 FROM suites
            JOIN definitions AS files ON files.id = suites.file_id
            WHERE suites.id = tests.suite_id AND ${containsTyped('files.name', text)}))`,
        ]
      : []),
  ]
  const value = {
    outcome: sql`test_results.outcome`,
    duration: sql`test_results.duration_us`,
    name: sql`definitions.name`,
  }
  const { rows } = await sql<BuildResultRow>`SELECT test_results.test_id, runs.id AS run_id, runs.public_id,
      test_results.outcome, test_results.duration_us, test_results.error_group_id
    FROM ${FROM_RESULTS} WHERE ${allOf(filters)}
    ORDER BY ${value[sort_by]} ${sql.raw(sort_order)}, definitions.name, test_results.test_id, runs.id
    LIMIT ${limit + 1} OFFSET ${cursor}`.execute(query)
  return { rows: rows.slice(0, limit), next: rows.length > limit ? cursor + limit : null }
}

/** The last result of each test in a build, by the keys of the tests; earlier names count as the test. */
export async function listResultsOfBuild(
  query: Query,
  buildId: number,
  procedure: string | undefined,
): Promise<Map<number, BuildResultRow>> {
  const { rows } = await sql<BuildResultRow>`SELECT ${KEY_OF_TEST} AS test_id, runs.id AS run_id,
      runs.public_id, test_results.outcome, test_results.duration_us, test_results.error_group_id
    FROM live_runs AS runs ${JOIN_RESULTS}
      JOIN tests ON tests.id = test_results.test_id
    WHERE runs.build_id = ${buildId} AND ${isOfProcedure(sql`runs.procedure_id`, procedure)}
    ORDER BY runs.id`.execute(query)
  return new Map(rows.map((row) => [row.test_id, row]))
}

function isOfProcedure(column: Expression<unknown>, procedure: string | undefined): Expression<SqlBool> {
  if (procedure === undefined) return sql<SqlBool>`1 = 1`
  const name = foldIdentifier(procedure)
  return sql<SqlBool>`${column} IN (SELECT id FROM live_procedures
    WHERE public_id = ${name} OR identifier_folded = ${name})`
}

/** The last started build of a branch with results of tests. */
export async function findLastBuild(
  query: Query,
  branch: string,
  procedure: string | undefined,
): Promise<BuildsTable | undefined> {
  return query
    .selectFrom('builds')
    .selectAll()
    .where('branch', '=', branch)
    .where(
      sql<SqlBool>`EXISTS (SELECT 1 FROM live_runs JOIN run_suites ON run_suites.run_id = live_runs.id
        WHERE live_runs.build_id = builds.id AND ${isOfProcedure(sql`live_runs.procedure_id`, procedure)})`,
    )
    .orderBy('started_at_us', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function listOwners(query: Query, testIds: readonly number[]): Promise<Map<number, string>> {
  if (testIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('tests')
    .innerJoin('definitions', 'definitions.id', 'tests.owner_id')
    .select(['tests.id', beginning('definitions.name').as('name')])
    .where(isInList(query, 'tests.id', testIds))
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
