import { sql } from 'kysely'
import { deleteAttachmentsOf } from '../attachments/store'
import type { Query } from '../database/database'
import { inChunks } from '../database/lists'
import type { DeletionsTable } from '../database/schema/runs'
import { deleteUnusedValues, listValuesOfRuns } from '../metadata/store'

const ROWS_AT_ONCE = 500

export type Deletion = Pick<DeletionsTable, 'kind' | 'record_id'>

/** Takes records out of every answer. Their names are free for others from then on. */
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
  }
}

async function freeUnits(query: Query, keys: readonly number[]): Promise<void> {
  await query
    .updateTable('units')
    .set({ serial_number_folded: sql`'deleted ' || public_id || ' ' || serial_number_folded` })
    .where('id', 'in', keys)
    .execute()
  await query.updateTable('units').set({ parent_unit_id: null }).where('parent_unit_id', 'in', keys).execute()
}

async function freeProcedures(query: Query, keys: readonly number[]): Promise<void> {
  await query
    .updateTable('procedures')
    .set({ identifier_folded: sql`'deleted ' || public_id` })
    .where('id', 'in', keys)
    .execute()
  await query.deleteFrom('station_procedures').where('procedure_id', 'in', keys).execute()
}

/** What is to be deleted next: what is soon done first. Keys of different tables differ. */
export async function findDeletion(
  query: Query,
  skipped: readonly number[] = [],
): Promise<Deletion | undefined> {
  return query
    .selectFrom('deletions')
    .select(['kind', 'record_id'])
    .$if(skipped.length > 0, (some) => some.where('record_id', 'not in', skipped))
    .orderBy(sql`CASE kind WHEN 'run' THEN 0 WHEN 'unit' THEN 1 ELSE 2 END`)
    .orderBy('requested_at_us')
    .limit(1)
    .executeTakeFirst()
}

/** Runs that go with it, the newest first: whoever reads the newest runs passes over the fewest. */
export async function listRunsOf(
  query: Query,
  { kind, record_id: key }: Deletion,
  { limit, skipped = [] }: { limit: number; skipped?: readonly number[] },
): Promise<number[]> {
  const column = kind === 'procedure' ? 'procedure_id' : 'unit_id'
  const runs =
    kind === 'run'
      ? await query
          .selectFrom('deletions')
          .select('record_id as id')
          .where('kind', '=', 'run')
          .$if(skipped.length > 0, (some) => some.where('record_id', 'not in', skipped))
          .limit(limit)
          .execute()
      : await query
          .selectFrom('runs')
          .select('id')
          .where(column, '=', key)
          .orderBy('started_at_us', 'desc')
          .limit(limit)
          .execute()
  return runs.map(({ id }) => id)
}

/**
 * Deletes runs with all that hangs on them. Returns the digests of bytes that no attachment has any more: give them to
 * `removeUnreferencedBlobs` once that is committed.
 */
export async function deleteRunsByKey(query: Query, keys: readonly number[]): Promise<string[]> {
  const orphans: string[] = []
  for (const chunk of inChunks(keys)) {
    orphans.push(...(await deleteAttachmentsOf(query, 'run', chunk)))
    const values = await listValuesOfRuns(query, chunk)
    await query.deleteFrom('runs').where('id', 'in', chunk).execute()
    await query.deleteFrom('deletions').where('kind', '=', 'run').where('record_id', 'in', chunk).execute()
    await deleteUnusedValues(query, values)
  }
  return orphans
}

/** Deletes some of what is left of a record without runs. Returns the digests of bytes as `deleteRunsByKey` does. */
export async function deleteRest(query: Query, { kind, record_id: key }: Deletion): Promise<string[]> {
  const orphans = kind === 'unit' ? await deleteAttachmentsOf(query, 'unit', [key]) : []
  const isDone =
    kind === 'procedure' ? await deleteProcedureRows(query, key) : await deleteUnitRow(query, key)
  if (isDone) {
    await query.deleteFrom('deletions').where('kind', '=', kind).where('record_id', '=', key).execute()
  }
  return orphans
}

async function deleteProcedureRows(query: Query, key: number): Promise<boolean> {
  for (const table of ['definitions', 'procedure_versions'] as const) {
    const deleted = await query
      .deleteFrom(table)
      .where('id', 'in', (select) =>
        select.selectFrom(table).select('id').where('procedure_id', '=', key).limit(ROWS_AT_ONCE),
      )
      .returning('id')
      .execute()
    if (deleted.length === ROWS_AT_ONCE) return false
  }
  await query.deleteFrom('procedures').where('id', '=', key).execute()
  return true
}

/** What the unit held stays; runs of others no longer name it as a sub-unit. */
async function deleteUnitRow(query: Query, key: number): Promise<boolean> {
  await query.deleteFrom('run_sub_units').where('unit_id', '=', key).execute()
  await query.deleteFrom('units').where('id', '=', key).execute()
  return true
}
