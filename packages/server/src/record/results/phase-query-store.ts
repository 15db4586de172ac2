import { sql, type SqlBool } from 'kysely'
import type { Query } from '../../storage/database/database'

/** Tests that did not run are no steps. */
export const IS_STEP = sql<SqlBool>`phases.kind IS DISTINCT FROM 'skipped'`

export function isFinalAttempt({ exclude_retries: isAsked }: { exclude_retries: boolean }) {
  return isAsked ? [sql<SqlBool>`phases.is_final_attempt = 1`] : []
}

export function joinPhases(query: Query) {
  return query
    .selectFrom('phases')
    .innerJoin('definitions as phase_definitions', 'phase_definitions.id', 'phases.definition_id')
    .innerJoin('live_runs as runs', 'runs.id', 'phases.run_id')
    .innerJoin('procedures', 'procedures.id', 'runs.procedure_id')
    .innerJoin('units', 'units.id', 'runs.unit_id')
    .where(IS_STEP)
}
