import {
  formatTimestampUs,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookMessage,
} from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { StorageContext } from '../../../storage/context'
import type { WebhookDeliveriesTable } from '../../../storage/database/schema/webhooks'
import type { WebhookRow } from './store'

export function parseEvents(row: Pick<WebhookRow, 'events'>): WebhookEvent[] {
  return JSON.parse(row.events) as WebhookEvent[]
}

export function mapWebhook(row: WebhookRow): Webhook {
  return {
    id: row.public_id,
    name: row.name,
    url: `${new URL(row.url).origin}/…`,
    format: row.format,
    events: parseEvents(row),
    procedures:
      row.all_procedures === 1
        ? null
        : row.procedures.map(({ public_id: id, identifier, name }) => ({ id, identifier, name })),
    yield_below: row.yield_below,
    enabled: row.enabled === 1,
    created_at: formatTimestampUs(row.created_at_us),
    created_by: row.created_by,
  }
}

export function mapDelivery(row: WebhookDeliveriesTable): WebhookDelivery {
  const nextUs = row.next_attempt_at_us
  return {
    id: row.public_id,
    kind: row.kind,
    state: nextUs !== null ? 'waiting' : row.delivered_at_us === null ? 'failed' : 'delivered',
    created_at: formatTimestampUs(row.created_at_us),
    attempts: row.attempts,
    last_status: row.last_status,
    last_error: row.last_error,
    next_attempt_at: nextUs === null ? null : formatTimestampUs(nextUs),
    delivered_at: row.delivered_at_us === null ? null : formatTimestampUs(row.delivered_at_us),
  }
}

interface NewDelivery extends Pick<
  WebhookDeliveriesTable,
  'webhook_id' | 'procedure_id' | 'subject' | 'number'
> {
  content: Pick<WebhookMessage, 'type' | 'data'>
  testIds?: readonly string[]
}

/** A message that is due now. */
export function createDelivery(
  { nextKey, clock }: Pick<StorageContext, 'nextKey' | 'clock'>,
  { content, testIds = [], ...delivery }: NewDelivery,
): WebhookDeliveriesTable {
  const nowUs = clock()
  const { type, data } = content
  return {
    ...delivery,
    id: nextKey(),
    public_id: randomUUID(),
    kind: type,
    test_ids: JSON.stringify(testIds),
    message: JSON.stringify({ type, timestamp: formatTimestampUs(nowUs), data }),
    created_at_us: nowUs,
    attempts: 0,
    next_attempt_at_us: nowUs,
    delivered_at_us: null,
    last_status: null,
    last_error: null,
  }
}
