import { foldIdentifier, type ListBuildTestsQuery, MAX_COMPARED_TESTS } from '@runledger/protocol'
import { SLOWDOWN_LIMITS } from '@runledger/statistics'
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

export interface ComparedBuilds {
  baseId: number
  headId: number
  procedure: string | undefined
}

/** The table `results`: the last result of each test in each build. Results under earlier names count for the test. */
function withLastResults({ baseId, headId, procedure }: ComparedBuilds) {
  return sql`WITH results AS MATERIALIZED (SELECT * FROM (SELECT runs.build_id, ${KEY_OF_TEST} AS test_id, runs.id AS run_id,
      test_results.outcome, test_results.duration_us, test_results.error_group_id, row_number() OVER
        (PARTITION BY runs.build_id, ${KEY_OF_TEST} ORDER BY runs.id DESC, test_results.test_id DESC) AS place
    FROM live_runs AS runs ${JOIN_RESULTS}
      JOIN tests ON tests.id = test_results.test_id
    WHERE runs.build_id IN (${baseId}, ${headId}) AND ${isOfProcedure(sql`runs.procedure_id`, procedure)}) AS placed
    WHERE place = 1)`
}

export type Change = 'newly_failing' | 'still_failing' | 'fixed' | 'slower' | 'new' | 'gone'

const IS = { failed: sql.lit(FAILED), skipped: sql.lit(SKIPPED), passed: sql.lit(PASSED) }

const CHANGE = sql`CASE WHEN base_id IS NULL THEN 'new' WHEN head_id IS NULL THEN 'gone'
  WHEN head_outcome = ${IS.failed} AND base_outcome = ${IS.failed} THEN 'still_failing'
  WHEN head_outcome = ${IS.failed} AND base_outcome <> ${IS.skipped} THEN 'newly_failing'
  WHEN base_outcome = ${IS.failed} AND head_outcome <> ${IS.skipped} THEN 'fixed'
  WHEN base_outcome = ${IS.passed} AND head_outcome = ${IS.passed}
    AND head_us - base_us >= ${sql.lit(SLOWDOWN_LIMITS.ms * 1000)}
    AND (head_us - base_us) * 100 >= base_us * ${sql.lit(SLOWDOWN_LIMITS.percent)} THEN 'slower' END`

function selectCompared({ baseId, headId }: ComparedBuilds) {
  const of = (buildId: number, column: string) =>
    sql`max(CASE WHEN build_id = ${buildId} THEN ${sql.ref(column)} END)`
  return sql`SELECT test_id, ${of(baseId, 'run_id')} AS base_id, ${of(baseId, 'outcome')} AS base_outcome,
      ${of(baseId, 'duration_us')} AS base_us, ${of(headId, 'run_id')} AS head_id,
      ${of(headId, 'outcome')} AS head_outcome, ${of(headId, 'duration_us')} AS head_us
    FROM results GROUP BY test_id`
}

/** A test that differs between two builds. If a build does not have the test, the columns for that build are null. */
export interface ChangedTest {
  change: Change
  /** The number of tests with the same change. */
  total: number
  test_id: number
  base_run: string | null
  base_outcome: number | null
  base_us: number | null
  head_run: string | null
  head_outcome: number | null
  head_us: number | null
}

/** Lists the first tests of each change, in the order of their runs. */
export async function listChangedTests(query: Query, builds: ComparedBuilds): Promise<ChangedTest[]> {
  const { rows } = await sql<ChangedTest>`${withLastResults(builds)}
    SELECT change, total, test_id, base_runs.public_id AS base_run, base_outcome, base_us,
      head_runs.public_id AS head_run, head_outcome, head_us
    FROM (SELECT changed.*, count(*) OVER (PARTITION BY change) AS total,
        row_number() OVER (PARTITION BY change ORDER BY coalesce(base_id, head_id), test_id) AS place
      FROM (SELECT compared.*, ${CHANGE} AS change FROM (${selectCompared(builds)}) AS compared) AS changed
      WHERE change IS NOT NULL) AS listed
      LEFT JOIN runs AS base_runs ON base_runs.id = base_id LEFT JOIN runs AS head_runs ON head_runs.id = head_id
    WHERE place <= ${MAX_COMPARED_TESTS} ORDER BY change, place`.execute(query)
  return rows
}

export interface NewError {
  id: number
  runId: number
  tests: number
}

/** Lists errors in head that no result in base has, those with the most tests first. */
export async function listNewErrors(
  query: Query,
  builds: ComparedBuilds,
  limit: number,
): Promise<NewError[]> {
  const { baseId, headId } = builds
  const { rows } = await sql<NewError>`${withLastResults(builds)}
    SELECT error_group_id AS id, max(run_id) AS ${sql.id('runId')}, count(*) AS tests FROM results
    WHERE build_id = ${headId} AND error_group_id IS NOT NULL AND error_group_id NOT IN
      (SELECT error_group_id FROM results WHERE build_id = ${baseId} AND error_group_id IS NOT NULL)
    GROUP BY error_group_id ORDER BY count(*) DESC, error_group_id LIMIT ${limit}`.execute(query)
  return rows
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
