import { sql } from 'kysely'
import type { Query } from '../../storage/database/database'
import { DIFFERENT_LINE } from '../../record/results/line/line-store'
import { DIFFERENT_DAYS, INSERT_DAYS_OF_PROCEDURE } from '../../record/results/history/result-store'

export async function listRunKeys(query: Query, after: number, limit: number): Promise<number[]> {
  const rows = await query
    .selectFrom('runs')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function countRuns(query: Query): Promise<number> {
  const { count } = await query
    .selectFrom('runs')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function describeResults(
  query: Query,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ run_id: number }>`SELECT test_results.* FROM run_suites
      JOIN test_results ON test_results.suite_id = run_suites.suite_id AND test_results.run_id = run_suites.run_id
    WHERE run_suites.run_id IN (${sql.join(runIds)})
    ORDER BY test_results.run_id, test_results.suite_id, test_results.test_id`.execute(query)
  const texts = new Map<number, string>()
  for (const row of rows) texts.set(row.run_id, `${texts.get(row.run_id) ?? ''}${JSON.stringify(row)}\n`)
  return texts
}

export async function countDifferences(query: Query): Promise<number> {
  let count = 0
  for (const text of [DIFFERENT_DAYS, DIFFERENT_LINE]) {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count
      FROM (${sql.raw(text)}) AS different`.execute(query)
    count += Number(rows[0]?.count ?? 0)
  }
  return count
}

export async function listProceduresOfDays(query: Query): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM procedures
    UNION SELECT procedure_id AS id FROM test_days`.execute(query)
  return rows.map(({ id }) => id)
}

export async function listProcedures(query: Query): Promise<number[]> {
  const rows = await query.selectFrom('procedures').select('id').execute()
  return rows.map(({ id }) => id)
}

export async function recountDays(query: Query, procedureId: number): Promise<void> {
  await query.deleteFrom('test_days').where('procedure_id', '=', procedureId).execute()
  const [before = '', after = ''] = INSERT_DAYS_OF_PROCEDURE.split('?')
  await sql`${sql.raw(before)}${procedureId}${sql.raw(after)}`.execute(query)
}
