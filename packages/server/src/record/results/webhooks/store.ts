import { type Expression, sql, type SqlBool } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import type { WebhooksTable } from '../../../storage/database/schema/webhooks'

interface NamedProcedure {
  id: number
  public_id: string
  identifier: string
  name: string
}

export interface WebhookRow extends Omit<WebhooksTable, 'created_by_user_id'> {
  created_by: string | null
  /** Those that it names. */
  procedures: readonly NamedProcedure[]
}

/** After the cursor, newest first, and one more than `limit` when there are more. */
export async function listWebhooks(
  query: Query,
  { cursor, limit }: { cursor?: number | undefined; limit: number },
): Promise<WebhookRow[]> {
  return readWebhooks(
    query,
    cursor === undefined ? undefined : sql<SqlBool>`webhooks.id < ${cursor}`,
    limit + 1,
  )
}

export async function listEnabledWebhooks(query: Query): Promise<WebhookRow[]> {
  return readWebhooks(query, sql<SqlBool>`enabled = 1`)
}

export async function findWebhook(query: Query, publicId: string): Promise<WebhookRow | undefined> {
  const [row] = await readWebhooks(query, sql<SqlBool>`webhooks.public_id = ${publicId.toLowerCase()}`)
  return row
}

async function readWebhooks(
  query: Query,
  condition: Expression<SqlBool> | undefined,
  limit?: number,
): Promise<WebhookRow[]> {
  const rows = await query
    .selectFrom('webhooks')
    .leftJoin('users', 'users.id', 'webhooks.created_by_user_id')
    .selectAll('webhooks')
    .select(sql<string | null>`coalesce(users.name, users.email)`.as('created_by'))
    .$if(condition !== undefined, (some) => some.where(condition as Expression<SqlBool>))
    .orderBy('webhooks.id', 'desc')
    .$if(limit !== undefined, (some) => some.limit(limit as number))
    .execute()
  const named = await query
    .selectFrom('webhook_procedures')
    .innerJoin('live_procedures as procedures', 'procedures.id', 'webhook_procedures.procedure_id')
    .select([
      'webhook_id',
      'procedures.id',
      'procedures.public_id',
      'procedures.identifier',
      'procedures.name',
    ])
    .orderBy('procedures.name_folded')
    .execute()
  const byWebhook = groupBy(named, ({ webhook_id: id }) => id)
  return rows.map((row) => ({ ...row, procedures: byWebhook.get(row.id) ?? [] }))
}

export async function countWebhooks(query: Query): Promise<number> {
  const { count } = await query
    .selectFrom('webhooks')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertWebhook(query: Query, webhook: WebhooksTable): Promise<void> {
  await query.insertInto('webhooks').values(webhook).execute()
}

export async function updateWebhook(
  query: Query,
  id: number,
  change: Partial<Omit<WebhooksTable, 'id'>>,
): Promise<void> {
  if (Object.keys(change).length > 0)
    await query.updateTable('webhooks').set(change).where('id', '=', id).execute()
}

/** Undefined if it is disabled or deleted already. */
export function disableWebhook(query: Query, id: number): Promise<{ name: string } | undefined> {
  const enabled = query
    .updateTable('webhooks')
    .set({ enabled: 0 })
    .where('id', '=', id)
    .where('enabled', '=', 1)
  return enabled.returning('name').executeTakeFirst()
}

export async function replaceProcedures(
  query: Query,
  webhookId: number,
  procedureIds: readonly number[],
): Promise<void> {
  await query.deleteFrom('webhook_procedures').where('webhook_id', '=', webhookId).execute()
  const rows = procedureIds.map((procedureId) => ({ webhook_id: webhookId, procedure_id: procedureId }))
  if (rows.length > 0) await query.insertInto('webhook_procedures').values(rows).execute()
}

/** With its deliveries. */
export async function deleteWebhook(query: Query, id: number): Promise<void> {
  await query.deleteFrom('webhooks').where('id', '=', id).execute()
}
