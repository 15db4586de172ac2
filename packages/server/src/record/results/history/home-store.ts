import { formatTimestampUs, type HomeLine } from '@runledger/protocol'
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
    FROM live_procedures AS procedures
      JOIN (SELECT procedure_id, max(started_at_us) AS last_us FROM build_procedures GROUP BY procedure_id) AS last
        ON last.procedure_id = procedures.id
    ORDER BY last.last_us DESC LIMIT ${limit}`.execute(query)
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
    FROM live_procedures AS procedures JOIN live_runs AS runs ON runs.procedure_id = procedures.id
      JOIN units ON units.id = runs.unit_id
    WHERE runs.build_id IS NULL AND runs.started_at_us >= ${nowUs - PERIOD_US}
      AND runs.outcome <> 'ABORTED' AND units.sample IS NULL
      AND NOT EXISTS (SELECT 1 FROM live_runs AS earlier WHERE earlier.unit_id = runs.unit_id
        AND earlier.procedure_id = runs.procedure_id AND earlier.outcome <> 'ABORTED'
        AND (earlier.started_at_us, earlier.id) < (runs.started_at_us, runs.id))
    GROUP BY procedures.public_id, procedures.identifier, procedures.name
    ORDER BY max(runs.started_at_us) DESC LIMIT ${MAX_LINES}`.execute(query)
  return rows.map((row) => ({
    procedure: { id: row.public_id, identifier: row.identifier, name: row.name },
    units_tested: Number(row.units),
    first_pass: { passed: Number(row.passed), of: Number(row.units) },
    last_run_at: formatTimestampUs(row.last_us),
  }))
}
