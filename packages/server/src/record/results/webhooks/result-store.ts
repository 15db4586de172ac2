import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { FLAKY, SKIPPED } from '../../../storage/database/schema/history'
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

/** The last result of a test in an environment of a build. */
export interface LastResult {
  test_id: number
  /** Of the job, such as `linux node 22`; empty if the run names none. */
  environment: string
  run_id: number
  run_public_id: string
  /** Whole, as the run named it. */
  name: string
  outcome: number
  error_group_id: number | null
}

interface OfBuild {
  buildId: number
  procedureId: number
}

const MAX_RESULTS = 1_000

const ENVIRONMENT = sql`coalesce(runs.environment, '')`

/** Failed and flaky ones, in the order of their runs. */
export async function listBadResults(query: Query, { buildId, procedureId }: OfBuild): Promise<LastResult[]> {
  const { rows } =
    await sql<LastResult>`SELECT test_id, environment, run_id, run_public_id, definitions.name, outcome, error_group_id
    FROM (SELECT ${KEY_OF_TEST} AS test_id, ${ENVIRONMENT} AS environment, runs.id AS run_id,
        runs.public_id AS run_public_id, tests.definition_id, test_results.outcome, test_results.error_group_id,
        row_number() OVER (PARTITION BY ${KEY_OF_TEST}, ${ENVIRONMENT}
          ORDER BY runs.id DESC, test_results.test_id DESC) AS place
      FROM live_runs AS runs ${JOIN_RESULTS}
        JOIN tests ON tests.id = test_results.test_id
      WHERE runs.build_id = ${buildId} AND runs.procedure_id = ${procedureId}) AS placed
      JOIN definitions ON definitions.id = placed.definition_id
    WHERE place = 1 AND outcome >= ${sql.lit(FLAKY)}
    ORDER BY run_id, test_id, environment LIMIT ${sql.lit(MAX_RESULTS)}`.execute(query)
  return rows
}

/** In which environments of a build these tests ran, skipped ones left out. */
export async function listRanTests(
  query: Query,
  { buildId, procedureId }: OfBuild,
  testIds: readonly number[],
): Promise<Pick<LastResult, 'test_id' | 'environment'>[]> {
  if (testIds.length === 0) return []
  const { rows } = await sql<Pick<LastResult, 'test_id' | 'environment'>>`SELECT DISTINCT
      ${KEY_OF_TEST} AS test_id, ${ENVIRONMENT} AS environment
    FROM live_runs AS runs ${JOIN_RESULTS} JOIN tests ON tests.id = test_results.test_id
    WHERE runs.build_id = ${buildId} AND runs.procedure_id = ${procedureId}
      AND test_results.outcome <> ${sql.lit(SKIPPED)} AND ${KEY_OF_TEST} IN (${sql.join(testIds)})`.execute(
    query,
  )
  return rows
}
