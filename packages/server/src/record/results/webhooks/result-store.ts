import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { FAILED, FLAKY } from '../../../storage/database/schema/history'
import { JOIN_RESULTS, KEY_OF_TEST } from '../tests/result-joins'
import type { ProcedureRow } from '../history/home-store'

/** Procedures with builds that started since then. */
export async function listProceduresWithBuilds(query: Query, sinceUs: number): Promise<ProcedureRow[]> {
  const { rows } =
    await sql<ProcedureRow>`SELECT id, public_id AS id_text, identifier, name FROM live_procedures
    WHERE EXISTS (SELECT 1 FROM build_procedures
      WHERE procedure_id = live_procedures.id AND started_at_us >= ${sinceUs})
    ORDER BY id`.execute(query)
  return rows
}

/** The last failed result of a test in a build; a flaky one if there is none. */
export interface BadResult {
  test_id: number
  run_id: number
  error_group_id: number | null
}

interface OfProcedure {
  buildIds: readonly number[]
  procedureId: number
}

const MAX_TESTS = 1_000

const FROM_RESULTS = sql`live_runs AS runs ${JOIN_RESULTS} JOIN tests ON tests.id = test_results.test_id`

function isOf(query: Query, { buildIds, procedureId }: OfProcedure) {
  return sql`${isInList(query, 'runs.build_id', buildIds)} AND runs.procedure_id = ${procedureId}`
}

/** One for each test that failed or was flaky in these builds, in the order of their runs. */
export async function listBadResults(query: Query, of: OfProcedure): Promise<BadResult[]> {
  const { rows } = await sql<BadResult>`SELECT test_id, run_id, error_group_id
    FROM (SELECT ${KEY_OF_TEST} AS test_id, runs.id AS run_id, test_results.error_group_id,
        row_number() OVER (PARTITION BY ${KEY_OF_TEST}
          ORDER BY test_results.outcome DESC, runs.id DESC, test_results.test_id DESC) AS place
      FROM ${FROM_RESULTS} WHERE ${isOf(query, of)}
        AND run_suites.failed + run_suites.flaky > 0 AND test_results.outcome >= ${sql.lit(FLAKY)}) AS placed
    WHERE place = 1 ORDER BY run_id, test_id LIMIT ${sql.lit(MAX_TESTS)}`.execute(query)
  return rows
}

/** Tests that failed in any of these builds, those of the last runs first. */
export async function listFailedTests(query: Query, of: OfProcedure): Promise<number[]> {
  if (of.buildIds.length === 0) return []
  const { rows } = await sql<{
    id: number
  }>`SELECT ${KEY_OF_TEST} AS id FROM ${FROM_RESULTS} WHERE ${isOf(query, of)}
      AND run_suites.failed > 0 AND test_results.outcome = ${sql.lit(FAILED)}
    GROUP BY ${KEY_OF_TEST} ORDER BY max(runs.id) DESC, id LIMIT ${sql.lit(MAX_TESTS)}`.execute(query)
  return rows.map(({ id }) => id)
}

export async function findLastRunId(query: Query, buildIds: readonly number[]): Promise<number> {
  const row = await query
    .selectFrom('live_runs')
    .select((select) => select.fn.max('id').as('id'))
    .where(isInList(query, 'build_id', buildIds))
    .executeTakeFirst()
  return Number(row?.id ?? 0)
}
