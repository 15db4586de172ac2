import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'

export interface ProcedureRow {
  id: number
  id_text: string
  identifier: string
  name: string
}

/** The one whose last build started last comes first. */
export async function listProjects(query: Query, limit: number): Promise<ProcedureRow[]> {
  const { rows } = await sql<ProcedureRow>`SELECT procedures.id, procedures.public_id AS id_text,
      procedures.identifier, procedures.name
    FROM (SELECT *, (SELECT max(started_at_us) FROM build_procedures
        WHERE procedure_id = live_procedures.id) AS last_us FROM live_procedures) AS procedures
    WHERE last_us IS NOT NULL ORDER BY last_us DESC LIMIT ${limit}`.execute(query)
  return rows
}
