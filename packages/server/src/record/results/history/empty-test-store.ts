import { sql, type SqlBool } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { inChunks } from '../../../storage/database/rows'

/** Keys of the tests that these runs have results of. */
export async function listTestsOfRuns(query: Query, runIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT DISTINCT test_id AS id
    FROM run_suites JOIN test_results
      ON test_results.suite_id = run_suites.suite_id AND test_results.run_id = run_suites.run_id
    WHERE run_suites.run_id IN (${sql.join(runIds)})`.execute(query)
  return rows.map(({ id }) => id)
}

/** Deletes these tests where they have no results any more, so that nothing finds their names. */
export async function deleteEmptyTests(query: Query, ids: readonly number[]): Promise<void> {
  for (const chunk of inChunks(ids)) {
    const empty = await query
      .selectFrom('tests')
      .select(['id', 'suite_id'])
      .where('id', 'in', chunk)
      .where(
        sql<SqlBool>`NOT EXISTS (SELECT 1 FROM test_results
          WHERE test_results.suite_id = tests.suite_id AND test_results.test_id = tests.id)`,
      )
      .execute()
    if (empty.length > 0) await deleteTests(query, empty)
  }
}

/** Their earlier names are tests of their own again. */
async function deleteTests(query: Query, tests: readonly { id: number; suite_id: number }[]): Promise<void> {
  const ids = tests.map(({ id }) => id)
  await query.updateTable('tests').set({ alias_of: null }).where('alias_of', 'in', ids).execute()
  await query.deleteFrom('tests').where('id', 'in', ids).execute()
  await query
    .deleteFrom('suites')
    .where('id', 'in', [...new Set(tests.map(({ suite_id: id }) => id))])
    .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM tests WHERE tests.suite_id = suites.id)`)
    .execute()
}
