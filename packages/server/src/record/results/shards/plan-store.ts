import { createHash } from 'node:crypto'
import type { TakeShardRequest } from '@runledger/protocol'
import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
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

/** Of one procedure; the oldest go. */
const MAX_PLANS = 500

export async function insertPlan(query: Query, plan: ShardPlansTable): Promise<void> {
  await query.insertInto('shard_plans').values(plan).execute()
  await sql`DELETE FROM shard_plans WHERE procedure_id = ${plan.procedure_id} AND id <=
    (SELECT id FROM shard_plans WHERE procedure_id = ${plan.procedure_id}
      ORDER BY id DESC LIMIT 1 OFFSET ${sql.lit(MAX_PLANS)})`.execute(query)
}

export async function updatePlan(query: Query, id: number, shards: string): Promise<void> {
  await query.updateTable('shard_plans').set({ shards }).where('id', '=', id).execute()
}

/** A rerun of a shard finds its plan as long as CIs usually allow reruns. */
export const PLAN_DAYS = 30

export async function deleteOldPlans(query: Query, beforeUs: number): Promise<void> {
  await query.deleteFrom('shard_plans').where('created_at_us', '<', beforeUs).execute()
}
