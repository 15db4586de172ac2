import { createHash } from 'node:crypto'
import type { TakeShardRequest } from '@runledger/protocol'
import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { US_PER_DAY } from '../../../base/clock'
import { HttpError } from '../../../base/errors'
import type { ShardPlansTable } from '../../../storage/database/schema/shards'

export type PlanKey = Pick<TakeShardRequest, 'build' | 'framework' | 'name' | 'shard_total'>

export function digestKey({ build, framework, name, shard_total: total }: PlanKey): string {
  return createHash('sha256')
    .update(JSON.stringify([build, framework, name ?? '', total]))
    .digest('base64url')
}

export async function findPlan(
  query: Query,
  procedureId: number,
  key: PlanKey,
): Promise<ShardPlansTable | undefined> {
  return query
    .selectFrom('shard_plans')
    .select(['id', 'procedure_id', 'digest', 'shards', 'by_count', 'created_at_us'])
    .where('digest', '=', digestKey(key))
    .where('procedure_id', '=', procedureId)
    .executeTakeFirst()
}

/** The limit for all plans of one procedure. `ROW_BYTES` is added for each plan. */
const MAX_BYTES = 128 * 1024 * 1024
const ROW_BYTES = 4096
/** Six hours. Builds of younger plans may still run. */
const SAFE_US = US_PER_DAY / 4

/** The shards of a removed plan. Its row stays, so that a rerun of one shard gets no new plan, which might leave files out. */
const EMPTIED = ''

export function isRemoved({ shards }: ShardPlansTable): boolean {
  return shards === EMPTIED
}

/** Stores a plan. Removes the oldest of the procedure if necessary. @throws HttpError SERVICE_UNAVAILABLE if there still is no room */
export async function insertPlan(query: Query, plan: ShardPlansTable, mostBytes = MAX_BYTES): Promise<void> {
  await makeRoom(query, plan, { nowUs: plan.created_at_us, mostBytes })
  await query.insertInto('shard_plans').values(plan).execute()
}

/** Makes room as `insertPlan` does. @throws HttpError SERVICE_UNAVAILABLE */
export async function updatePlan(
  query: Query,
  plan: ShardPlansTable,
  { nowUs, mostBytes = MAX_BYTES }: { nowUs: number; mostBytes?: number },
): Promise<void> {
  await makeRoom(query, plan, { nowUs, mostBytes })
  await query.updateTable('shard_plans').set({ shards: plan.shards }).where('id', '=', plan.id).execute()
}

async function makeRoom(
  query: Query,
  plan: ShardPlansTable,
  { nowUs, mostBytes }: { nowUs: number; mostBytes: number },
): Promise<void> {
  const left = mostBytes - ROW_BYTES - Buffer.byteLength(plan.shards)
  if ((await sumOtherPlans(query, plan)) <= left) return
  await sql`UPDATE shard_plans SET shards = ${EMPTIED} WHERE created_at_us <= ${nowUs - SAFE_US} AND id IN (SELECT id FROM
    (SELECT id, sum(${SIZE}) OVER (ORDER BY id DESC) AS bytes FROM shard_plans
      WHERE procedure_id = ${plan.procedure_id} AND id <> ${plan.id} AND shards <> ${EMPTIED}) AS newest
    WHERE bytes > ${left})`.execute(query)
  if ((await sumOtherPlans(query, plan)) > left) throw tooManyPlansError(mostBytes)
}

const SIZE = sql<number>`octet_length(shards) + ${sql.lit(ROW_BYTES)}`

async function sumOtherPlans(query: Query, plan: ShardPlansTable): Promise<number> {
  const { bytes } = await query
    .selectFrom('shard_plans')
    .select(sql<number | string | null>`sum(${SIZE})`.as('bytes'))
    .where('procedure_id', '=', plan.procedure_id)
    .where('id', '<>', plan.id)
    .where('shards', '<>', EMPTIED)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

function tooManyPlansError(mostBytes: number): HttpError {
  return new HttpError(
    'SERVICE_UNAVAILABLE',
    `The shard plans of this procedure from the last six hours leave no room: the limit is ${mostBytes} bytes. Use another procedure for some of its builds, or the framework's own --shard.`,
    { retryAfterSeconds: 60 },
  )
}

/** Most CIs allow reruns for this time. */
export const PLAN_DAYS = 30

export async function deleteOldPlans(query: Query, beforeUs: number): Promise<void> {
  await query.deleteFrom('shard_plans').where('created_at_us', '<', beforeUs).execute()
}
