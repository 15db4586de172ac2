import { sql } from 'kysely'
import type { Query } from '../database/database'

type RecordTable = 'phases' | 'measurements' | 'run_logs'

// Runs whose creation may have overlapped in time with that of the record's run.
const NEAREST_RUNS = 200

/**
 * Key of the run that a record of a run belongs to. Tables of such records are found by run first, and have no index
 * on the record's key: keys are made in the order of time, the run's right before those of its records.
 */
export async function findRunOfRecord(
  query: Query,
  table: RecordTable,
  key: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ run_id: number }>`SELECT run_id FROM ${sql.table(table)} WHERE id = ${key}
    AND run_id IN (SELECT id FROM runs WHERE id < ${key} ORDER BY id DESC LIMIT ${NEAREST_RUNS})`.execute(
    query,
  )
  return rows[0]?.run_id
}
