import { INFRASTRUCTURE_LIMITS as LIMITS } from '@runledger/statistics'
import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { FAILED } from '../../../storage/database/schema/history'
import { JOIN_RESULTS } from '../tests/result-joins'

interface Searched {
  /** All builds if undefined. */
  buildIds?: readonly number[]
  afterRunId?: number
}

/** `isInfrastructureBuild` of `@runledger/statistics` in SQL. Only of builds with enough failures all results are counted. */
export async function listInfrastructureBuilds(
  query: Query,
  { buildIds, afterRunId = 0 }: Searched,
): Promise<ReadonlySet<number>> {
  if (buildIds?.length === 0) return new Set()
  const ofBuilds = buildIds ? isInList(query, 'build_id', buildIds) : sql`build_id IS NOT NULL`
  const { rows } = await sql<{ id: number; failed: number; results: number }>`SELECT build_id AS id,
      sum(run_suites.failed) AS failed, sum(passed + flaky + run_suites.failed) AS results
    FROM live_runs AS runs JOIN run_suites ON run_suites.run_id = runs.id
    WHERE build_id IN (SELECT build_id FROM live_runs AS failing JOIN run_suites ON run_suites.run_id = failing.id
      WHERE ${ofBuilds} AND run_suites.run_id > ${afterRunId} AND run_suites.failed > 0
      GROUP BY build_id HAVING sum(run_suites.failed) >= ${LIMITS.failures})
    GROUP BY build_id`.execute(query)
  const found = new Set<number>()
  for (const { id, failed, results } of rows) {
    const share = failed / results
    if (share >= LIMITS.failingShare) found.add(id)
    else if (share >= LIMITS.fingerprintShare && (await hasCommonError(query, id, results))) found.add(id)
  }
  return found
}

async function hasCommonError(query: Query, buildId: number, results: number): Promise<boolean> {
  const { rows } = await sql`SELECT error_group_id FROM live_runs AS runs
      ${JOIN_RESULTS}
    WHERE build_id = ${buildId} AND test_results.outcome = ${FAILED} AND error_group_id IS NOT NULL
    GROUP BY error_group_id
    HAVING count(*) >= ${Math.ceil(LIMITS.fingerprintShare * results)} AND count(DISTINCT test_id) >= ${LIMITS.fingerprintTests}
    LIMIT 1`.execute(query)
  return rows.length > 0
}
