import { foldIdentifier, type ListTestsQuery, parseTimestampUs } from '@runledger/protocol'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import { US_PER_DAY } from '../../../base/clock'
import { allOf, containsTyped } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { FAILED, FLAKY, PASSED } from '../../../storage/database/schema/history'
import { digestMetadata } from '../../catalogue/metadata/store'
import { beginning } from '../tests/listed-text'
import { ALL_BRANCHES, isOfBranch, JOIN_RESULTS, KEY_OF_TEST } from '../tests/result-joins'

/** Sums of a test over the days of a period. Names that were merged are one test. */
export interface TestSums {
  id: number
  procedure_id: number
  passed: number
  flaky: number
  failed: number
  passed_us: number
  /** The same for the second half of the period. */
  late_passed: number
  late_passed_us: number
}

export interface Period {
  branchId: number
  /** Days of UTC since 1970. */
  fromDay: number
  /** The first day of the second half. */
  lateDay: number
}

export type TestFilter = Pick<
  ListTestsQuery,
  | 'procedure_ids'
  | 'projects'
  | 'files'
  | 'owners'
  | 'tags'
  | 'search_query'
  | 'first_seen_since'
  | 'sort_by'
  | 'sort_order'
>

/** The roll-ups' key of a branch; undefined for one without results. */
export async function findBranchId(query: Query, branch: string | undefined): Promise<number | undefined> {
  if (branch === undefined) return ALL_BRANCHES
  const row = await query
    .selectFrom('metadata_values')
    .select('id')
    .where('digest', '=', digestMetadata('git_branch', branch))
    .where('value_type', '=', 'string')
    .executeTakeFirst()
  return row?.id
}

/**
 * Lists every test with results in the period, of procedures that are not deleted. Sorted only if `sort_by` is `name`. The filters
 * apply to the current name and place of a test, not to earlier ones.
 */
export async function sumTests(query: Query, period: Period, filter: TestFilter): Promise<TestSums[]> {
  const procedures = await listProcedureKeys(query, filter.procedure_ids)
  if (procedures.length === 0) return []
  const late = sql`day >= ${period.lateDay}`
  // SQLite sorts the days, which is faster with fewer columns.
  const sums = sql<TestSums>`SELECT ${KEY_OF_TEST} AS id, suites.procedure_id, sum(passed) AS passed, sum(flaky) AS flaky,
      sum(failed) AS failed, sum(passed_us) AS passed_us, sum(late_passed) AS late_passed, sum(late_passed_us) AS late_passed_us
    FROM (SELECT test_id, sum(passed) AS passed, sum(flaky) AS flaky, sum(failed) AS failed, sum(passed_us) AS passed_us,
        sum(CASE WHEN ${late} THEN passed ELSE 0 END) AS late_passed,
        sum(CASE WHEN ${late} THEN passed_us ELSE 0 END) AS late_passed_us
      FROM test_days WHERE procedure_id IN (${sql.join(procedures)}) AND branch_id = ${period.branchId}
        AND day >= ${period.fromDay} AND ${isNameOfFound(createTestFilters(filter))} GROUP BY test_id) AS of_names
      JOIN tests ON tests.id = of_names.test_id JOIN suites ON suites.id = tests.suite_id
    GROUP BY ${KEY_OF_TEST}, suites.procedure_id`
  const { rows } = await (filter.sort_by === 'name' ? orderByName(sums, filter) : sums).execute(query)
  return rows
}

/** Whether `test_id` belongs to a test that matches the filters, under its current or an earlier name. */
function isNameOfFound(filters: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  if (filters.length === 0) return sql<SqlBool>`1 = 1`
  return sql<SqlBool>`test_id IN (SELECT names.id FROM tests AS names
    JOIN tests ON tests.id = coalesce(names.alias_of, names.id) WHERE ${allOf(filters)})`
}

function orderByName(sums: RawBuilder<TestSums>, { sort_order: order }: Pick<TestFilter, 'sort_order'>) {
  return sql<TestSums>`SELECT sums.* FROM (${sums}) AS sums
      JOIN tests ON tests.id = sums.id JOIN definitions ON definitions.id = tests.definition_id
    ORDER BY ${beginning('definitions.name')} ${sql.raw(order)}, sums.id`
}

async function listProcedureKeys(query: Query, sent: readonly string[] | undefined): Promise<number[]> {
  const names = sent?.map(foldIdentifier)
  const rows = await query
    .selectFrom('live_procedures as procedures')
    .select('id')
    .where(sql<SqlBool>`EXISTS (SELECT 1 FROM suites WHERE suites.procedure_id = procedures.id)`)
    .$if(names !== undefined && names.length > 0, (some) =>
      some.where((where) =>
        where.or([where('public_id', 'in', names ?? []), where('identifier_folded', 'in', names ?? [])]),
      ),
    )
    .execute()
  return rows.map(({ id }) => id)
}

function createTestFilters({
  projects,
  files,
  owners,
  tags,
  search_query: text,
  first_seen_since: since,
}: TestFilter) {
  const named = (names: readonly string[]) =>
    sql`(SELECT id FROM definitions WHERE name IN (${sql.join(names)}))`
  const ofSuite: Expression<SqlBool>[] = [
    ...(projects?.length ? [sql<SqlBool>`suites.project_id IN ${named(projects)}`] : []),
    ...(files?.length ? [sql<SqlBool>`suites.file_id IN ${named(files)}`] : []),
  ]
  return [
    ...(ofSuite.length > 0
      ? [sql<SqlBool>`tests.suite_id IN (SELECT suites.id FROM suites WHERE ${allOf(ofSuite)})`]
      : []),
    ...(owners?.length ? [sql<SqlBool>`tests.owner_id IN ${named(owners)}`] : []),
    ...(tags?.length ? [sql<SqlBool>`tests.id IN (${selectTagged(named(tags))})`] : []),
    ...(text
      ? [
          sql<SqlBool>`(tests.definition_id IN (SELECT id FROM definitions WHERE ${containsTyped('definitions.name', text)})
            OR tests.suite_id IN (SELECT suites.id FROM suites JOIN definitions ON definitions.id = suites.file_id
              WHERE ${containsTyped('definitions.name', text)}))`,
        ]
      : []),
    ...(since === undefined
      ? []
      : [
          sql<SqlBool>`tests.first_seen_us >= ${parseTimestampUs(since)} AND tests.id NOT IN (
            SELECT alias_of FROM tests AS earlier WHERE alias_of IS NOT NULL AND first_seen_us < ${parseTimestampUs(since)})`,
        ]),
  ]
}

/** Tests whose last result has one of these tags. Every run may have others, and there are many. */
function selectTagged(tags: Expression<unknown>) {
  return sql`SELECT last.id FROM (SELECT tests.id, tests.definition_id, suites.file_id,
      (SELECT run_id FROM test_results WHERE test_results.suite_id = tests.suite_id AND test_results.test_id = tests.id
        ORDER BY run_id DESC LIMIT 1) AS run_id
      FROM tests JOIN suites ON suites.id = tests.suite_id) AS last
    JOIN phase_tags ON phase_tags.run_id = last.run_id AND phase_tags.description IS NULL AND phase_tags.tag_id IN ${tags}
    JOIN phases ON phases.run_id = last.run_id AND phases.id = phase_tags.phase_id
      AND phases.definition_id = last.definition_id
    JOIN runs ON runs.id = last.run_id AND coalesce(phases.file_id, runs.file_id, 0) = last.file_id`
}

/** Results of tests in these builds, which count in no rate. */
export async function sumTestsOfBuilds(
  query: Query,
  buildIds: ReadonlySet<number>,
  { branchId, fromDay, lateDay }: Period,
): Promise<Omit<TestSums, 'procedure_id'>[]> {
  if (buildIds.size === 0) return []
  const day = sql`(runs.started_at_us / ${sql.lit(US_PER_DAY)})`
  const is = (outcome: number) => sql`test_results.outcome = ${sql.lit(outcome)}`
  const { rows } = await sql<Omit<TestSums, 'procedure_id'>>`SELECT ${KEY_OF_TEST} AS id,
      count(*) FILTER (WHERE ${is(PASSED)}) AS passed, count(*) FILTER (WHERE ${is(FLAKY)}) AS flaky,
      count(*) FILTER (WHERE ${is(FAILED)}) AS failed,
      sum(CASE WHEN ${is(PASSED)} THEN test_results.duration_us ELSE 0 END) AS passed_us,
      count(*) FILTER (WHERE ${is(PASSED)} AND ${day} >= ${lateDay}) AS late_passed,
      sum(CASE WHEN ${is(PASSED)} AND ${day} >= ${lateDay} THEN test_results.duration_us ELSE 0 END) AS late_passed_us
    FROM runs ${JOIN_RESULTS}
      JOIN tests ON tests.id = test_results.test_id
    WHERE runs.build_id IN (${sql.join([...buildIds])}) AND ${isOfBranch(branchId)} AND ${day} >= ${fromDay}
    GROUP BY ${KEY_OF_TEST}`.execute(query)
  return rows
}

/**
 * How many builds since `afterRunId` had each test fail where it passed on the same commit, in the same environment, in another
 * build or rerun. Most commits have one build without reruns: their failures are not compared.
 */
export async function countContradictions(
  query: Query,
  { afterRunId, branchId }: { afterRunId: number; branchId: number },
  infrastructure: ReadonlySet<number>,
): Promise<Map<number, number>> {
  const left = infrastructure.size === 0 ? sql`0` : sql.join([...infrastructure])
  const { rows } = await sql<{ id: number; builds: number }>`
    WITH failing AS MATERIALIZED (SELECT run_suites.suite_id, test_id, build_id, rerun, environment, git_commit
      FROM run_suites JOIN live_runs AS runs ON runs.id = run_suites.run_id
        JOIN builds ON builds.id = runs.build_id
        JOIN test_results ON test_results.suite_id = run_suites.suite_id AND test_results.run_id = run_suites.run_id
      WHERE run_suites.run_id > ${afterRunId} AND run_suites.failed > 0 AND test_results.outcome = ${FAILED}
        AND builds.git_commit IS NOT NULL AND builds.id NOT IN (${left}) AND ${isOfBranch(branchId)}
        AND (EXISTS (SELECT 1 FROM builds AS others WHERE others.git_commit = builds.git_commit AND others.id <> builds.id)
          OR EXISTS (SELECT 1 FROM runs AS again WHERE again.build_id = builds.id AND again.rerun IS NOT NULL))),
    passing AS MATERIALIZED (SELECT suite_id, runs.id AS run_id, build_id, rerun, environment, git_commit
      FROM (SELECT DISTINCT git_commit AS failing_commit FROM failing) AS commits
        CROSS JOIN builds CROSS JOIN live_runs AS runs CROSS JOIN run_suites
      WHERE builds.git_commit = failing_commit AND runs.build_id = builds.id AND run_suites.run_id = runs.id
        AND run_suites.passed > 0)
    SELECT ${KEY_OF_TEST} AS id, count(DISTINCT failing.build_id) AS builds
    FROM failing JOIN passing ON passing.git_commit = failing.git_commit AND passing.suite_id = failing.suite_id
        AND passing.environment IS NOT DISTINCT FROM failing.environment
        AND (passing.build_id <> failing.build_id OR passing.rerun IS DISTINCT FROM failing.rerun)
      JOIN test_results AS passed ON passed.suite_id = failing.suite_id AND passed.run_id = passing.run_id
        AND passed.test_id = failing.test_id AND passed.outcome = ${PASSED}
      JOIN tests ON tests.id = failing.test_id
    GROUP BY ${KEY_OF_TEST}`.execute(query)
  return new Map(rows.map(({ id, builds }) => [id, Number(builds)]))
}

export interface LoneFailure {
  test_id: number
  build_id: number
  duration_us: number
}

/** Builds since `afterRunId` in which one test alone failed, and no run failed for another reason. */
export async function listLoneFailures(
  query: Query,
  { afterRunId, branchId }: { afterRunId: number; branchId: number },
): Promise<LoneFailure[]> {
  return findLoneFailures(query, sql<SqlBool>`run_suites.run_id > ${afterRunId} AND ${isOfBranch(branchId)}`)
}

/** Those of these builds in which one test alone failed, and no run failed for another reason. */
export async function listLoneFailuresOf(query: Query, buildIds: readonly number[]): Promise<LoneFailure[]> {
  return findLoneFailures(query, isInList(query, 'runs.build_id', buildIds))
}

async function findLoneFailures(query: Query, searched: Expression<SqlBool>): Promise<LoneFailure[]> {
  const { rows } = await sql<LoneFailure>`SELECT lone.build_id, lone.test_id,
      (SELECT max(ended_at_us) - min(started_at_us) FROM live_runs WHERE live_runs.build_id = lone.build_id) AS duration_us
    FROM (SELECT runs.build_id, min(${KEY_OF_TEST}) AS test_id
      FROM run_suites JOIN live_runs AS runs ON runs.id = run_suites.run_id
        JOIN test_results ON test_results.suite_id = run_suites.suite_id AND test_results.run_id = run_suites.run_id
        JOIN tests ON tests.id = test_results.test_id
      WHERE ${searched} AND run_suites.failed > 0 AND test_results.outcome = ${FAILED}
      GROUP BY runs.build_id HAVING count(DISTINCT ${KEY_OF_TEST}) = 1) AS lone
    WHERE NOT EXISTS (SELECT 1 FROM live_runs AS others WHERE others.build_id = lone.build_id
      AND others.outcome <> 'PASS' AND NOT EXISTS
        (SELECT 1 FROM run_suites WHERE run_suites.run_id = others.id AND run_suites.failed > 0))`.execute(
    query,
  )
  return rows
}
