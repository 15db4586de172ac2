import type { Cause } from '@runledger/protocol'
import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { FAILED } from '../../../storage/database/schema/history'
import { readTestReferences } from '../tests/test-references'
import { listErrorMessages } from '../tests/error-message-store'
import { JOIN_RESULTS } from '../tests/result-joins'

const MAX_TESTS = 10

/** The most tests first. Also counts the causes. */
export async function listCauses(
  query: Query,
  buildId: number,
  limit: number,
): Promise<{ causes: Cause[]; total: number }> {
  const { rows } = await sql<{ group_id: number; test_id: number; run_id: number; public_id: string }>`
    SELECT error_group_id AS group_id, test_id, max(runs.id) AS run_id, max(runs.public_id) AS public_id
    FROM live_runs AS runs ${JOIN_RESULTS}
    WHERE build_id = ${buildId} AND test_results.outcome = ${FAILED} AND error_group_id IS NOT NULL
    GROUP BY error_group_id, test_id ORDER BY error_group_id, test_id`.execute(query)
  const groups = [...groupBy(rows, ({ group_id: id }) => id)].toSorted((a, b) => b[1].length - a[1].length)
  const shown = groups.slice(0, limit)
  const messages = await listErrorMessages(
    query,
    shown.map(([id, tests]) => ({ id, runId: tests[0]?.run_id ?? 0 })),
  )
  const references = await readTestReferences(
    query,
    shown.flatMap(([, tests]) => tests.slice(0, MAX_TESTS).map(({ test_id: id }) => id)),
  )
  const causes = shown.flatMap(([id, tests]): Cause[] => {
    const error = messages.get(id)
    if (!error) return []
    return [
      {
        ...error,
        tests_count: tests.length,
        tests: tests.slice(0, MAX_TESTS).flatMap(({ test_id: testId, public_id: runId }) => {
          const reference = references.get(testId)
          return reference ? [{ ...reference, run_id: runId }] : []
        }),
      },
    ]
  })
  return { causes, total: groups.length }
}
