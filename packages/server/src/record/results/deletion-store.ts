import { sql } from 'kysely'
import type { Query } from '../../storage/database/database'
import { inChunks } from '../../storage/database/rows'
import type { DeletionsTable } from '../../storage/database/schema/runs'

/** Removes records from every response, and frees their names; rows are deleted later. */
export async function markDeleted(
  query: Query,
  { kind, keys }: { kind: DeletionsTable['kind']; keys: readonly number[] },
  nowUs: number,
): Promise<void> {
  for (const chunk of inChunks(keys)) {
    const rows = chunk.map((key) => ({ kind, record_id: key, requested_at_us: nowUs }))
    await query
      .insertInto('deletions')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (kind === 'unit') await freeUnits(query, chunk)
    if (kind === 'procedure') await freeProcedures(query, chunk)
    if (kind === 'batch') await freeBatches(query, chunk)
  }
}

async function freeUnits(query: Query, keys: readonly number[]): Promise<void> {
  await query
    .updateTable('units')
    .set({ serial_number_folded: sql`'deleted ' || public_id || ' ' || serial_number_folded` })
    .where('id', 'in', keys)
    .execute()
}

async function freeBatches(query: Query, keys: readonly number[]): Promise<void> {
  await query
    .updateTable('batches')
    .set({ number_folded: sql`'deleted ' || public_id` })
    .where('id', 'in', keys)
    .execute()
}

async function freeProcedures(query: Query, keys: readonly number[]): Promise<void> {
  await query
    .updateTable('procedures')
    .set({ identifier_folded: sql`'deleted ' || public_id` })
    .where('id', 'in', keys)
    .execute()
  await query.deleteFrom('api_keys').where('procedure_id', 'in', keys).execute()
  await query.deleteFrom('station_procedures').where('procedure_id', 'in', keys).execute()
}
