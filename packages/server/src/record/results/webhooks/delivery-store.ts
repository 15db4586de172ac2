import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import type { WebhookDeliveriesTable, WebhooksTable } from '../../../storage/database/schema/webhooks'

/** After the cursor, newest first, and one more than `limit` when there are more. */
export async function listDeliveries(
  query: Query,
  webhookId: number,
  { cursor, limit }: { cursor?: number | undefined; limit: number },
): Promise<WebhookDeliveriesTable[]> {
  return query
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .$if(cursor !== undefined, (some) => some.where('id', '<', cursor as number))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
}

export async function findDelivery(
  query: Query,
  webhookId: number,
  publicId: string,
): Promise<WebhookDeliveriesTable | undefined> {
  return query
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}

export type SentDelivery = Pick<
  WebhookDeliveriesTable,
  'webhook_id' | 'subject' | 'number' | 'kind' | 'test_ids' | 'next_attempt_at_us' | 'delivered_at_us'
>

/** Messages of these subjects, in their order. */
export async function listDeliveriesOf(query: Query, subjects: readonly string[]): Promise<SentDelivery[]> {
  if (subjects.length === 0) return []
  return query
    .selectFrom('webhook_deliveries')
    .select(['webhook_id', 'subject', 'number', 'kind', 'test_ids', 'next_attempt_at_us', 'delivered_at_us'])
    .where(isInList(query, 'subject', subjects))
    .orderBy('number')
    .execute()
}

/** Returns whether it is new: another service may have queued the same message. */
export async function insertDelivery(query: Query, delivery: WebhookDeliveriesTable): Promise<boolean> {
  const rows = await query
    .insertInto('webhook_deliveries')
    .values(delivery)
    .onConflict((conflict) => conflict.columns(['webhook_id', 'subject', 'number']).doNothing())
    .returning('id')
    .execute()
  return rows.length > 0
}

export async function updateDelivery(
  query: Query,
  id: number,
  change: Partial<Omit<WebhookDeliveriesTable, 'id'>>,
): Promise<void> {
  await query.updateTable('webhook_deliveries').set(change).where('id', '=', id).execute()
}

/** Waiting messages of a webhook that was disabled. */
export async function failWaiting(query: Query, webhookId: number, error: string): Promise<void> {
  await query
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at_us: null, last_error: error })
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at_us', 'is not', null)
    .execute()
}

export interface DueDelivery
  extends
    Pick<WebhookDeliveriesTable, 'id' | 'public_id' | 'webhook_id' | 'message' | 'attempts'>,
    Pick<WebhooksTable, 'url' | 'format'> {
  webhook_public_id: string
  next_attempt_at_us: number
}

/** Those that have waited longest first, at most `perWebhook` of each webhook. */
export async function listDueDeliveries(
  query: Query,
  nowUs: number,
  perWebhook: number,
): Promise<DueDelivery[]> {
  const { rows } =
    await sql<DueDelivery>`SELECT due.id, due.public_id, due.webhook_id, due.message, due.attempts,
      due.next_attempt_at_us, webhooks.url, webhooks.format, webhooks.public_id AS webhook_public_id
    FROM (SELECT webhook_deliveries.*, row_number() OVER
        (PARTITION BY webhook_id ORDER BY next_attempt_at_us, id) AS place
      FROM webhook_deliveries WHERE next_attempt_at_us <= ${nowUs}) AS due
      JOIN webhooks ON webhooks.id = due.webhook_id
    WHERE due.place <= ${perWebhook} AND webhooks.enabled = 1
    ORDER BY due.next_attempt_at_us, due.id`.execute(query)
  return rows
}

/** Returns false if another process claimed this attempt. */
export async function claimDelivery(
  query: Query,
  { id, next_attempt_at_us: claimedUs }: Pick<DueDelivery, 'id' | 'next_attempt_at_us'>,
  untilUs: number,
): Promise<boolean> {
  const rows = await query
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at_us: untilUs })
    .where('id', '=', id)
    .where('next_attempt_at_us', '=', claimedUs)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** A failure changes nothing if the webhook was disabled meanwhile, or the message is to be sent again. */
export async function endAttempt(
  query: Query,
  { id, next_attempt_at_us: claimedUs }: Pick<DueDelivery, 'id' | 'next_attempt_at_us'>,
  change: Partial<WebhookDeliveriesTable>,
): Promise<void> {
  const isDelivered = change.delivered_at_us !== null
  await query
    .updateTable('webhook_deliveries')
    .set(change)
    .where('id', '=', id)
    .$if(!isDelivered, (some) => some.where('next_attempt_at_us', '=', claimedUs))
    .execute()
}

const hasFailed = (name: string) =>
  sql`${sql.ref(`${name}.delivered_at_us`)} IS NULL AND ${sql.ref(`${name}.next_attempt_at_us`)} IS NULL`

/** Keeps the last message about each yield and measurement that has not failed: it has the state that was sent last. */
export async function deleteOldDeliveries(query: Query, beforeUs: number, limit: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM webhook_deliveries AS old
    WHERE created_at_us < ${beforeUs} AND (kind NOT LIKE 'line.%' OR (${hasFailed('old')})
      OR EXISTS (SELECT 1 FROM webhook_deliveries AS later
        WHERE later.webhook_id = old.webhook_id AND later.subject = old.subject AND later.number > old.number
          AND NOT (${hasFailed('later')})))
    ORDER BY created_at_us LIMIT ${limit}`.execute(query)
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    await query
      .deleteFrom('webhook_deliveries')
      .where(isInList(query, 'id', ids))
      .execute()
  return ids.length
}
