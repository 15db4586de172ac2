import { sql, type SqlBool } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { FAILED } from '../../../storage/database/schema/history'
import { JOIN_RESULTS, KEY_OF_TEST } from '../tests/result-joins'

export type Scope = { runId: number } | { buildId: number }

function isInScope(scope: Scope) {
  return 'runId' in scope
    ? sql<SqlBool>`runs.id = ${scope.runId}`
    : sql<SqlBool>`runs.build_id = ${scope.buildId}`
}

/** The last failed result of a test, for each error if it has one. */
export interface FailedTestRow {
  group_id: number | null
  test_id: number
  run_id: number
}

export async function listFailedTests(query: Query, scope: Scope): Promise<FailedTestRow[]> {
  const { rows } = await sql<FailedTestRow>`SELECT error_group_id AS group_id, test_id, max(runs.id) AS run_id
    FROM live_runs AS runs ${JOIN_RESULTS}
    WHERE ${isInScope(scope)} AND test_results.outcome = ${FAILED}
    GROUP BY error_group_id, test_id ORDER BY error_group_id, test_id`.execute(query)
  return rows
}

export interface FailedRunRow {
  id: number
  group_id: number | null
}

const MAX_FAILED_RUNS = 200

export async function listOtherFailedRuns(query: Query, scope: Scope): Promise<FailedRunRow[]> {
  const { rows } = await sql<FailedRunRow>`SELECT runs.id,
      (SELECT group_id FROM errors WHERE errors.id = runs.first_error_id) AS group_id
    FROM live_runs AS runs
    WHERE ${isInScope(scope)} AND runs.outcome <> 'PASS' AND NOT EXISTS
      (SELECT 1 FROM run_suites WHERE run_suites.run_id = runs.id AND run_suites.failed > 0)
    ORDER BY runs.id LIMIT ${MAX_FAILED_RUNS}`.execute(query)
  return rows
}

export async function findBuildOfRun(query: Query, runId: number): Promise<number | undefined> {
  const row = await query
    .selectFrom('live_runs')
    .select('build_id')
    .where('id', '=', runId)
    .executeTakeFirst()
  return row?.build_id ?? undefined
}

export interface ResultOfTest {
  /** Key of the test, or of the one that it is an earlier name of. */
  id: number
  procedure_id: number
  name: string
  owner: string | null
  outcome: number
}

export async function findTestOfResult(
  query: Query,
  runId: number,
  testId: number,
): Promise<ResultOfTest | undefined> {
  const { rows } = await sql<ResultOfTest>`SELECT ${KEY_OF_TEST} AS id, runs.procedure_id, definitions.name,
      owners.name AS owner, test_results.outcome
    FROM live_runs AS runs ${JOIN_RESULTS} JOIN tests ON tests.id = test_results.test_id
      JOIN definitions ON definitions.id = tests.definition_id
      LEFT JOIN definitions AS owners ON owners.id = tests.owner_id
    WHERE runs.id = ${runId} AND (tests.id = ${testId} OR tests.alias_of = ${testId})
    ORDER BY test_results.outcome DESC LIMIT 1`.execute(query)
  return rows[0]
}
