import { groupBy } from '../../../storage/database/rows'
import type { Query } from '../../../storage/database/database'
import { listFailedTests, listOtherFailedRuns, type Scope } from './cause-store'

/** They share their first error; one is explained. */
export interface ExplainedCause {
  runId: number
  /** Undefined if a run failed without a failed test. */
  testId: number | undefined
  tests: number
  others: readonly number[]
}

/** The most tests first; runs that failed without a failed test come last. */
export async function listExplainedCauses(
  query: Query,
  scope: Scope,
): Promise<{ causes: ExplainedCause[]; failures: number }> {
  const [tests, runs] = await Promise.all([listFailedTests(query, scope), listOtherFailedRuns(query, scope)])
  const ofTests = group(tests).map((rows): ExplainedCause => {
    const [first, ...others] = rows
    return {
      runId: first?.run_id ?? 0,
      testId: first?.test_id,
      tests: rows.length,
      others: others.map(({ test_id: id }) => id),
    }
  })
  const ofRuns = group(runs).map((rows): ExplainedCause => ({
    runId: rows[0]?.id ?? 0,
    testId: undefined,
    tests: rows.length,
    others: [],
  }))
  const byTests = ofTests.toSorted((one, other) => other.tests - one.tests)
  return { causes: [...byTests, ...ofRuns], failures: tests.length + runs.length }
}

/** Failures without an error have no cause in common. */
function group<Row extends { group_id: number | null }>(rows: readonly Row[]): Row[][] {
  const known = groupBy(
    rows.filter(({ group_id: id }) => id !== null),
    ({ group_id: id }) => id,
  )
  return [...known.values(), ...rows.filter(({ group_id: id }) => id === null).map((row) => [row])]
}
