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

/** The last result of a test in an environment of a build that is failed or flaky. */
export interface LastResult {
  test_id: number
  run_id: number
  error_group_id: number | null
}

const MAX_RESULTS = 1_000

/** In the order of their runs. */
export async function listBadResults(
  query: Query,
  { buildId, procedureId }: { buildId: number; procedureId: number },
): Promise<LastResult[]> {
  const environment = sql`coalesce(runs.environment, '')`
  const { rows } = await sql<LastResult>`SELECT test_id, run_id, error_group_id
    FROM (SELECT ${KEY_OF_TEST} AS test_id, runs.id AS run_id, test_results.outcome, test_results.error_group_id,
        row_number() OVER (PARTITION BY ${KEY_OF_TEST}, ${environment}
          ORDER BY runs.id DESC, test_results.test_id DESC) AS place
      FROM live_runs AS runs ${JOIN_RESULTS}
        JOIN tests ON tests.id = test_results.test_id
      WHERE runs.build_id = ${buildId} AND runs.procedure_id = ${procedureId}
        AND test_results.outcome <> ${sql.lit(SKIPPED)}) AS placed
    WHERE place = 1 AND outcome >= ${sql.lit(FLAKY)}
    ORDER BY run_id, test_id LIMIT ${sql.lit(MAX_RESULTS)}`.execute(query)
  return rows
}
