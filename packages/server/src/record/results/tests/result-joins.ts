import { sql, type SqlBool } from 'kysely'

/** Results of the tests of `runs`, to follow that table in FROM. */
export const JOIN_RESULTS = sql`JOIN run_suites ON run_suites.run_id = runs.id
  JOIN test_results ON test_results.suite_id = run_suites.suite_id AND test_results.run_id = runs.id`

/** The key of a row of `tests`, or of the test that it is an earlier name of. */
export const KEY_OF_TEST = sql`coalesce(tests.alias_of, tests.id)`

/** The roll-ups' key of all branches together. */
export const ALL_BRANCHES = -1

/** Holds for `runs` of a branch (0: of none). */
export function isOfBranch(branchId: number) {
  return branchId === ALL_BRANCHES
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`coalesce(runs.branch_id, 0) = ${branchId}`
}
