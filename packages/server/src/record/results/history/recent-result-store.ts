import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { allOf } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { groupBy, isInList } from '../../../storage/database/rows'
import { isOfBranch } from '../tests/result-joins'

export interface ResultRow {
  /** Or an earlier name of it. */
  test_id: number
  run_id: number
  run_public_id: string
  build_id: number
  environment: string | null
  rerun: string | null
  started_at_us: number
  outcome: number
  duration_us: number
  error_group_id: number | null
}

/** A test or an earlier name of it. */
export interface TestName {
  id: number
  suite_id: number
  first_seen_us: number
  last_seen_day: number
}

export interface AskedResults {
  branchId: number
  environment?: string | undefined
  /** Only results of this run and of runs before it. */
  upToRunId?: number | undefined
  limit: number
}

/** Newest first as received, by the keys of the tests. */
export async function listResults(
  query: Query,
  tests: ReadonlyMap<number, readonly TestName[]>,
  asked: AskedResults,
): Promise<Map<number, ResultRow[]>> {
  const names = [...tests.values()].flat()
  const byName = groupBy(await listResultsOfNames(query, names, asked), ({ test_id: id }) => id)
  const merge = (ofTest: readonly TestName[]) =>
    ofTest
      .flatMap(({ id }) => byName.get(id) ?? [])
      .toSorted((one, other) => other.run_id - one.run_id)
      .slice(0, asked.limit)
  return new Map([...tests].map(([id, ofTest]) => [id, merge(ofTest)]))
}

export async function listResultsOfTest(
  query: Query,
  names: readonly TestName[],
  asked: AskedResults,
): Promise<ResultRow[]> {
  return (await listResults(query, new Map([[0, names]]), asked)).get(0) ?? []
}

/** Reads each name backwards in the order of the suite's runs. */
async function listResultsOfNames(
  query: Query,
  names: readonly TestName[],
  { branchId, environment, upToRunId, limit }: AskedResults,
): Promise<ResultRow[]> {
  if (names.length === 0) return []
  const filters = [
    isOfBranch(branchId),
    ...(environment === undefined ? [] : [sql<SqlBool>`runs.environment = ${environment}`]),
    ...(upToRunId === undefined ? [] : [sql<SqlBool>`results.run_id <= ${upToRunId}`]),
    // Of a branch of last week, only the runs since then are read.
    ...(branchId > 0
      ? [sql<SqlBool>`results.run_id >= (SELECT min(id) FROM runs WHERE branch_id = ${branchId})`]
      : []),
  ]
  const of = (name: RawBuilder<unknown>, key: 'suite' | 'test') =>
    sql`CAST(${name} ->> ${sql.lit(key)} AS bigint)`
  const found = query.engine.firstsOfEach(
    names.map(({ id, suite_id: suite }) => ({ suite, test: id })),
    (name) => sql`SELECT results.run_id AS key FROM test_results AS results CROSS JOIN live_runs AS runs
      WHERE results.suite_id = ${of(name, 'suite')} AND results.test_id = ${of(name, 'test')}
        AND runs.id = results.run_id AND ${allOf(filters)}
      ORDER BY results.run_id DESC LIMIT ${sql.lit(limit)}`,
  )
  const owner = sql.ref('owners.value')
  const { rows } =
    await sql<ResultRow>`SELECT test_results.test_id, test_results.run_id, runs.public_id AS run_public_id,
      runs.build_id, runs.environment, runs.rerun, runs.started_at_us, test_results.outcome, test_results.duration_us,
      error_group_id
    FROM ${found} CROSS JOIN test_results CROSS JOIN runs
    WHERE test_results.suite_id = ${of(owner, 'suite')} AND test_results.run_id = firsts.value
      AND test_results.test_id = ${of(owner, 'test')} AND runs.id = firsts.value`.execute(query)
  return rows
}

export async function listNames(query: Query, ids: readonly number[]): Promise<Map<number, TestName[]>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('tests')
    .select(['id', 'suite_id', 'alias_of', 'first_seen_us', 'last_seen_day'])
    .where((where) => where.or([isInList(query, 'id', ids), isInList(query, 'alias_of', ids)]))
    .execute()
  return groupBy(rows, ({ id, alias_of: of }) => of ?? id)
}
