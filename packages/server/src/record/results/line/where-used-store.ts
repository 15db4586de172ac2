import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'

interface HolderRow {
  serial_number: string
  part_number: string
  batch: string | null
  sub_unit: string
}

/** Units nest no deeper in practice; it ends the search whatever the rows say. */
export const MAX_UNIT_DEPTH = 20

/** Units that hold units of the batch, at any depth, by serial number. */
export async function readHolders(query: Query, batchId: number, limit: number): Promise<HolderRow[]> {
  const { rows } = await sql<HolderRow>`WITH RECURSIVE holders (unit_id, held_id, depth) AS (
      SELECT parent_unit_id, id, 1 FROM live_units
        WHERE batch_id = ${batchId} AND parent_unit_id IS NOT NULL
      UNION ALL SELECT units.parent_unit_id, held_id, depth + 1
        FROM holders JOIN live_units AS units ON units.id = holders.unit_id
        WHERE units.parent_unit_id IS NOT NULL AND depth < ${sql.lit(MAX_UNIT_DEPTH)}
    )
    SELECT holder.serial_number, parts.number AS part_number, batches.number AS batch,
      held.serial_number AS sub_unit
    FROM holders JOIN live_units AS holder ON holder.id = holders.unit_id JOIN units AS held ON held.id = held_id
      JOIN revisions ON revisions.id = holder.revision_id JOIN parts ON parts.id = revisions.part_id
      LEFT JOIN live_batches AS batches ON batches.id = holder.batch_id
    ORDER BY holder.serial_number, held.serial_number LIMIT ${limit}`.execute(query)
  return rows
}
