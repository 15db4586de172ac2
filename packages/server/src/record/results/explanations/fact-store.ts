import { sql, type SqlBool } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { FAILED, FLAKY, PASSED } from '../../../storage/database/schema/history'
import { JOIN_RESULTS, KEY_OF_TEST } from '../tests/result-joins'

const MAX_SEEN = 50

const TEST_OF_ERROR = sql`JOIN suites ON suites.procedure_id = failing.procedure_id
    AND suites.file_id = coalesce(seen.file_id, 0) AND suites.project_id = coalesce(seen.project_id, 0)
  JOIN tests ON tests.suite_id = suites.id AND tests.definition_id = seen.definition_id`

interface Seen {
  groupId: number
  procedureId: number
  runId: number
}

/** In other runs of the procedure; and in how many of these the test passed on the same commit. */
export async function countSeenErrors(
  query: Query,
  { groupId, procedureId, runId }: Seen,
): Promise<{ seen: number; flaky: number }> {
  const { rows } = await sql<{ seen: number; flaky: number }>`
    SELECT count(*) AS seen, coalesce(sum(CASE WHEN own.outcome = ${FLAKY} OR ${PASSED_ON_COMMIT} THEN 1 ELSE 0 END), 0) AS flaky
    FROM (SELECT DISTINCT run_id, definition_id, file_id, project_id FROM phase_errors
        WHERE group_id = ${groupId} AND run_id <> ${runId} ORDER BY run_id DESC LIMIT ${MAX_SEEN}) AS seen
      JOIN live_runs AS failing ON failing.id = seen.run_id AND failing.procedure_id = ${procedureId}
      JOIN builds ON builds.id = failing.build_id ${TEST_OF_ERROR}
      JOIN test_results AS own ON own.suite_id = tests.suite_id AND own.run_id = failing.id AND own.test_id = tests.id`.execute(
    query,
  )
  return { seen: Number(rows[0]?.seen ?? 0), flaky: Number(rows[0]?.flaky ?? 0) }
}

/** In another run, in the same environment. */
const PASSED_ON_COMMIT = sql<SqlBool>`EXISTS (SELECT 1 FROM builds AS others
  JOIN live_runs AS passing ON passing.build_id = others.id
  JOIN test_results AS passed ON passed.suite_id = own.suite_id AND passed.run_id = passing.id AND passed.test_id = own.test_id
  WHERE others.git_commit = builds.git_commit AND passing.environment IS NOT DISTINCT FROM failing.environment
    AND passed.outcome = ${sql.lit(PASSED)})`

/** Tests other than this one that fail in a build, but did not in the build before. */
export async function countOtherNewFailures(
  query: Query,
  { buildId, previousId, testId }: { buildId: number; previousId: number; testId: number },
): Promise<number> {
  const failed = (id: number) => sql`SELECT ${KEY_OF_TEST} AS id FROM live_runs AS runs ${JOIN_RESULTS}
    JOIN tests ON tests.id = test_results.test_id
    WHERE runs.build_id = ${id} AND test_results.outcome = ${FAILED}`
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM
    (${failed(buildId)} EXCEPT ${failed(previousId)}) AS fresh WHERE id <> ${testId}`.execute(query)
  return Number(rows[0]?.count ?? 0)
}

const MAX_REPEATS = 50

/** The last failures whose test ran again on the commit, and how many of these never passed there. */
export async function countRepeats(
  query: Query,
  { procedureId, runId, afterRunId }: { procedureId: number; runId: number; afterRunId: number },
): Promise<{ failedAgain: number; n: number }> {
  const isRetried = sql<SqlBool>`EXISTS (SELECT 1 FROM phases JOIN tests ON tests.definition_id = phases.definition_id
    WHERE phases.run_id = failing.id AND tests.id = own.test_id AND phases.retry_count > 0)`
  const isRepeated = sql<SqlBool>`EXISTS (SELECT 1 FROM builds AS others
    JOIN live_runs AS again ON again.build_id = others.id AND again.id <> failing.id
    JOIN test_results AS repeated ON repeated.suite_id = own.suite_id AND repeated.run_id = again.id AND repeated.test_id = own.test_id
    WHERE others.git_commit = builds.git_commit AND again.environment IS NOT DISTINCT FROM failing.environment
      AND repeated.outcome = ${sql.lit(FAILED)})`
  const { rows } = await sql<{ passed: number; failed: number }>`SELECT
      coalesce(sum(CASE WHEN outcome = ${FLAKY} OR passed_there THEN 1 ELSE 0 END), 0) AS passed,
      coalesce(sum(CASE WHEN outcome = ${FAILED} AND NOT passed_there AND ran_again THEN 1 ELSE 0 END), 0) AS failed
    FROM (SELECT own.outcome, ${PASSED_ON_COMMIT} AS passed_there, (${isRetried} OR ${isRepeated}) AS ran_again
      FROM run_suites JOIN live_runs AS failing ON failing.id = run_suites.run_id
        JOIN builds ON builds.id = failing.build_id
        JOIN test_results AS own ON own.suite_id = run_suites.suite_id AND own.run_id = run_suites.run_id
      WHERE run_suites.run_id > ${afterRunId} AND run_suites.run_id < ${runId} AND failing.procedure_id = ${procedureId}
        AND own.outcome IN (${FAILED}, ${FLAKY})
      ORDER BY own.run_id DESC LIMIT ${MAX_REPEATS}) AS failures`.execute(query)
  const { passed = 0, failed = 0 } = rows[0] ?? {}
  return { failedAgain: Number(failed), n: Number(passed) + Number(failed) }
}

interface Between {
  branch: string | null
  procedureId: number
  afterUs: number
  beforeUs: number
}

export async function countBuildsBetween(query: Query, { branch, ...between }: Between): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM builds
    JOIN build_procedures ON build_procedures.build_id = builds.id
    WHERE builds.branch IS NOT DISTINCT FROM ${branch} AND build_procedures.procedure_id = ${between.procedureId}
      AND builds.started_at_us > ${between.afterUs} AND builds.started_at_us < ${between.beforeUs}`.execute(
    query,
  )
  return Number(rows[0]?.count ?? 0)
}
