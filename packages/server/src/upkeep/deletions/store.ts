import { sql } from 'kysely'
import { deleteAttachmentsOf } from '../../record/files/attachments/store'
import { deleteExecutionsOfGroups } from '../../record/results/builds/store'
import { listBuildsOfRuns } from '../../record/results/builds/build-store'
import { refreshBuilds } from '../../record/results/builds/refresh-store'
import { deleteEmptyTests, listTestsOfRuns } from '../../record/results/history/empty-test-store'
import { changeLine } from '../../record/results/line/line-store'
import { deleteResults } from '../../record/results/history/result-store'
import { US_PER_MS } from '../../base/clock'
import type { Query } from '../../storage/database/database'
import { firstKeyAt } from '../../storage/database/keys'
import { inChunks } from '../../storage/database/rows'
import type { DeletionsTable } from '../../storage/database/schema/runs'
import { deleteUnusedValues, listValuesOfRuns } from '../../record/catalogue/metadata/store'
import { deleteErrorsOfRuns } from '../../record/results/test-errors/store'

const ROWS_AT_ONCE = 500
const ATTACHMENTS_AT_ONCE = 5_000

export type Deletion = Pick<DeletionsTable, 'kind' | 'record_id'>

/** Quick kinds come first. Keys of different tables differ. */
export async function findDeletion(
  query: Query,
  skipped: readonly number[] = [],
): Promise<Deletion | undefined> {
  // Kind by kind: sorting by kind would sort all marks at every step.
  for (const kind of ['run', 'batch', 'unit', 'procedure'] as const) {
    const found = await query
      .selectFrom('deletions')
      .select(['kind', 'record_id'])
      .where('kind', '=', kind)
      .$if(skipped.length > 0, (some) => some.where('record_id', 'not in', skipped))
      .limit(1)
      .executeTakeFirst()
    if (found) return found
  }
  return undefined
}

/** Newest first, so that readers of the newest runs skip the fewest. Runs of a batch stay. */
export async function listRunsOf(
  query: Query,
  { kind, record_id: key }: Deletion,
  { limit, skipped = [] }: { limit: number; skipped?: readonly number[] },
): Promise<number[]> {
  if (kind === 'batch') return []
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
 * Deletes only some attachments and errors if there are too many for one step. Returns the names of bytes without attachments:
 * pass them to `removeBlobs` after the commit.
 */
export async function deleteRunsByKey(query: Query, keys: readonly number[]): Promise<string[]> {
  const orphans: string[] = []
  for (const chunk of inChunks(keys)) {
    const attachments = await deleteAttachmentsOf(query, 'run', { keys: chunk, limit: ATTACHMENTS_AT_ONCE })
    orphans.push(...attachments.orphans)
    if (!attachments.isDone) return orphans
    if (!(await deleteErrorsOfRuns(query, chunk, ROWS_AT_ONCE))) return orphans
    const values = await listValuesOfRuns(query, chunk)
    const builds = await listBuildsOfRuns(query, chunk)
    const tests = await listTestsOfRuns(query, chunk)
    await deleteResults(query, chunk)
    await deleteEmptyTests(query, tests)
    await changeLine(query, chunk, () => query.deleteFrom('runs').where('id', 'in', chunk).execute())
    await query.deleteFrom('deletions').where('kind', '=', 'run').where('record_id', 'in', chunk).execute()
    await deleteExecutionsOfGroups(query, values)
    await refreshBuilds(query, builds)
    await deleteUnusedValues(query, values)
  }
  return orphans
}

/** Deletes some of a record without runs, and finally the record. Returns names as `deleteRunsByKey` does. */
export async function deleteRest(query: Query, deletion: Deletion): Promise<string[]> {
  const { kind, record_id: key } = deletion
  const { orphans, isDone } = await deleteReferences(query, deletion)
  if (isDone && kind !== 'run') {
    await query.deleteFrom(TABLES[kind]).where('id', '=', key).execute()
    await query.deleteFrom('deletions').where('kind', '=', kind).where('record_id', '=', key).execute()
  }
  return orphans
}

const TABLES = { procedure: 'procedures', batch: 'batches', unit: 'units' } as const

/** What a unit held stays, and so do units of a batch. */
async function deleteReferences(
  query: Query,
  { kind, record_id: key }: Deletion,
): Promise<{ orphans: string[]; isDone: boolean }> {
  const { orphans, isDone } =
    kind === 'unit'
      ? await deleteAttachmentsOf(query, 'unit', { keys: [key], limit: ROWS_AT_ONCE })
      : { orphans: [], isDone: true }
  if (!isDone) return { orphans, isDone }
  for (const [change, table, column] of REFERENCES[kind]) {
    const keyColumn = table === 'run_sub_units' ? sql`run_id, position` : sql`id`
    const some = sql`(${keyColumn}) IN (SELECT ${keyColumn} FROM ${sql.table(table)}
      WHERE ${sql.ref(column)} = ${key} LIMIT ${sql.lit(ROWS_AT_ONCE)})`
    const { numAffectedRows } = await (
      change === 'delete'
        ? sql`DELETE FROM ${sql.table(table)} WHERE ${some}`
        : sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = NULL WHERE ${some}`
    ).execute(query)
    if (numAffectedRows === BigInt(ROWS_AT_ONCE)) return { orphans, isDone: false }
  }
  if (kind === 'batch') return { orphans, isDone: await clearBatchOfRuns(query, key) }
  return { orphans, isDone: kind !== 'procedure' || (await deleteBuildsOf(query, key)) }
}

/** Returns whether none are left. */
async function clearBatchOfRuns(query: Query, batchId: number): Promise<boolean> {
  const rows = await query
    .selectFrom('runs')
    .select('id')
    .where('batch_id', '=', batchId)
    .limit(ROWS_AT_ONCE)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    await changeLine(query, ids, () =>
      query.updateTable('runs').set({ batch_id: null }).where('id', 'in', ids).execute(),
    )
  return ids.length < ROWS_AT_ONCE
}

/** Only builds without runs and executions. Returns whether none are left. */
async function deleteBuildsOf(query: Query, procedureId: number): Promise<boolean> {
  const rows = await query
    .selectFrom('build_procedures')
    .select('build_id')
    .where('procedure_id', '=', procedureId)
    .limit(ROWS_AT_ONCE)
    .execute()
  const ids = rows.map(({ build_id: id }) => id)
  if (ids.length === 0) return true
  await query
    .deleteFrom('build_procedures')
    .where('procedure_id', '=', procedureId)
    .where('build_id', 'in', ids)
    .execute()
  await refreshBuilds(query, ids)
  return ids.length < ROWS_AT_ONCE
}

/** In this order, because a run created meanwhile takes the batch of its unit. */
const REFERENCES: Record<Deletion['kind'], readonly ['delete' | 'clear', table: string, column: string][]> = {
  procedure: [
    ['delete', 'definitions', 'procedure_id'],
    ['delete', 'quarantine_entries', 'procedure_id'],
    ['delete', 'webhook_deliveries', 'procedure_id'],
    ['delete', 'suites', 'procedure_id'],
    ['delete', 'procedure_versions', 'procedure_id'],
    ['delete', 'executions', 'procedure_id'],
    ['delete', 'shard_plans', 'procedure_id'],
  ],
  batch: [['clear', 'units', 'batch_id']],
  unit: [
    ['clear', 'units', 'parent_unit_id'],
    ['delete', 'run_sub_units', 'unit_id'],
  ],
  run: [],
}

interface OldRuns {
  procedureId: number
  beforeUs: number
  /** Keys above this were made while the clock was ahead. */
  aheadUs: number
  afterKey: number
  limit: number
}

/** Keys rise even if the clock is set back: an old date with a new key is wrong. Keys ahead of the clock say nothing. */
export async function listOldRuns(
  query: Query,
  { procedureId, beforeUs, aheadUs, afterKey, limit }: OldRuns,
) {
  const runs = await query
    .selectFrom('live_runs')
    .select('id')
    .where('procedure_id', '=', procedureId)
    .where('created_at_us', '<', beforeUs)
    .where('id', '>', afterKey)
    .where((where) => where.or([where('id', '<', keyAt(beforeUs)), where('id', '>', keyAt(aheadUs))]))
    .orderBy('id')
    .limit(limit)
    .execute()
  return runs.map(({ id }) => id)
}

function keyAt(timeUs: number): number {
  return firstKeyAt(Math.floor(timeUs / US_PER_MS))
}

export async function countPendingDeletions(query: Query): Promise<number> {
  const { pending } = await query
    .selectFrom('deletions')
    .select((select) => select.fn.countAll<number>().as('pending'))
    .executeTakeFirstOrThrow()
  return Number(pending)
}
