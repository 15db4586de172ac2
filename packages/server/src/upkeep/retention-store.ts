import { sql } from 'kysely'
import { US_PER_MS } from '../clock'
import type { Query } from '../database/database'
import { firstKeyAt } from '../database/key-generator'

export interface OldRuns {
  procedureId: number
  /** Runs that were received before this time. */
  beforeUs: number
  /** Keys of a later time were made when the clock was ahead. */
  aheadUs: number
  /** Only keys above this one. */
  afterKey: number
  limit: number
}

/**
 * Keys of runs of a procedure that were received before a time, lowest first. Keys rise also when the clock is set back, so
 * a run with an old date and a young key was received under a wrong date. Keys that are ahead of the clock
 * tell nothing: it was ahead itself once.
 */
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

/** Identifiers and ids of all procedures, with their keys. */
export function listProcedureNames(query: Query) {
  return query.selectFrom('live_procedures').select(['id', 'public_id', 'identifier_folded']).execute()
}

const TIME_SETTING = 'internal.retention_time_us'

/** The time that retention counts from, as the last clean-up left it. */
export async function readRetentionTime(query: Query): Promise<number | undefined> {
  const row = await query
    .selectFrom('settings')
    .select('value')
    .where('name', '=', TIME_SETTING)
    .executeTakeFirst()
  return row === undefined ? undefined : Number(row.value)
}

export async function writeRetentionTime(query: Query, timeUs: number): Promise<void> {
  await query
    .insertInto('settings')
    .values({ name: TIME_SETTING, value: String(timeUs) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: sql`max(CAST(excluded.value AS integer), CAST(settings.value AS integer))` }),
    )
    .execute()
}

/** How many deleted procedures, units and runs have rows that are still to go. */
export async function countPendingDeletions(query: Query): Promise<number> {
  const { pending } = await query
    .selectFrom('deletions')
    .select((select) => select.fn.countAll<number>().as('pending'))
    .executeTakeFirstOrThrow()
  return Number(pending)
}
