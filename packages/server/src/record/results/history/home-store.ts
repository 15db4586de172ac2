import { formatTimestampUs, type HomeLine, LEAST_BATCH_UNITS } from '@runledger/protocol'
import { sql } from 'kysely'
import { US_PER_DAY } from '../../../base/clock'
import type { Query } from '../../../storage/database/database'

export interface ProcedureRow {
  id: number
  id_text: string
  identifier: string
  name: string
}

/** Procedures with builds, the one whose last build started last first. */
export async function listProjects(query: Query, limit: number): Promise<ProcedureRow[]> {
  const { rows } = await sql<ProcedureRow>`SELECT procedures.id, procedures.public_id AS id_text,
      procedures.identifier, procedures.name
    FROM (SELECT *, (SELECT max(started_at_us) FROM build_procedures
        WHERE procedure_id = live_procedures.id) AS last_us FROM live_procedures) AS procedures
    WHERE last_us IS NOT NULL ORDER BY last_us DESC LIMIT ${limit}`.execute(query)
  return rows
}

/** The default branch that the last build which names one names; null where none does. */
export async function findDefaultBranch(query: Query, procedureId: number): Promise<string | null> {
  const row = await query
    .selectFrom('build_procedures')
    .innerJoin('builds', 'builds.id', 'build_procedures.build_id')
    .select('default_branch')
    .where('procedure_id', '=', procedureId)
    .where('default_branch', 'is not', null)
    .orderBy('build_procedures.started_at_us', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.default_branch ?? null
}

const PERIOD_US = 28 * US_PER_DAY
const MAX_LINES = 20

/** First runs of units of the line, begun in the period; aborted ones and samples left out. */
const FIRST_RUNS = (
  nowUs: number,
) => sql`live_procedures AS procedures JOIN live_runs AS runs ON runs.procedure_id = procedures.id
    JOIN units ON units.id = runs.unit_id
  WHERE runs.is_of_line = 1 AND runs.started_at_us >= ${nowUs - PERIOD_US}
    AND runs.outcome <> 'ABORTED' AND units.sample IS NULL
    AND NOT EXISTS (SELECT 1 FROM live_runs AS earlier WHERE earlier.unit_id = runs.unit_id
      AND earlier.procedure_id = runs.procedure_id AND earlier.outcome <> 'ABORTED'
      AND (earlier.started_at_us, earlier.id) < (runs.started_at_us, runs.id))`

/** Procedures with runs about units, with their first passes: of units whose first run ever is in the period. */
export async function listLines(query: Query, nowUs: number): Promise<HomeLine[]> {
  const { rows } = await sql<{
    public_id: string
    identifier: string
    name: string
    units: number
    passed: number
    last_us: number
  }>`SELECT procedures.public_id, procedures.identifier, procedures.name, count(*) AS units,
      count(*) FILTER (WHERE runs.outcome = 'PASS') AS passed, max(runs.started_at_us) AS last_us
    FROM ${FIRST_RUNS(nowUs)}
    GROUP BY procedures.public_id, procedures.identifier, procedures.name
    ORDER BY max(runs.started_at_us) DESC LIMIT ${MAX_LINES}`.execute(query)
  const worst = rows.length === 0 ? new Map<string, never>() : await findWorstBatches(query, nowUs)
  return rows.map((row) => ({
    procedure: { id: row.public_id, identifier: row.identifier, name: row.name },
    units_tested: Number(row.units),
    first_pass: { passed: Number(row.passed), of: Number(row.units) },
    worst_batch: worst.get(row.public_id) ?? null,
    last_run_at: formatTimestampUs(row.last_us),
  }))
}

/** The batch of each procedure with the lowest first-pass yield, by the procedure's public id; one that passed whole is none. */
async function findWorstBatches(
  query: Query,
  nowUs: number,
): Promise<Map<string, NonNullable<HomeLine['worst_batch']>>> {
  const { rows } = await sql<{ public_id: string; number: string; units: number; passed: number }>`
    SELECT of_batches.public_id, batches.number, units, passed
    FROM (SELECT procedures.public_id, runs.batch_id, count(*) AS units,
        count(*) FILTER (WHERE runs.outcome = 'PASS') AS passed
      FROM ${FIRST_RUNS(nowUs)} AND runs.batch_id IS NOT NULL
      GROUP BY procedures.public_id, runs.batch_id) AS of_batches
      JOIN live_batches AS batches ON batches.id = of_batches.batch_id
    WHERE units >= ${LEAST_BATCH_UNITS} AND passed < units`.execute(query)
  const byYield = rows.toSorted((one, other) => other.passed / other.units - one.passed / one.units)
  return new Map(
    byYield.map((row) => [
      row.public_id,
      { number: row.number, passed: Number(row.passed), of: Number(row.units) },
    ]),
  )
}
