import type {
  CreatedWebhook,
  CreateWebhookRequest,
  UpdateWebhookRequest,
  WebhookDelivery,
} from '@runledger/protocol'
import { WEBHOOK_HANDLERS } from '../operations/webhooks/handlers'
import { findWebhook } from '../record/results/webhooks/store'
import { listDeliveries } from '../record/results/webhooks/delivery-store'
import { mapDelivery } from '../record/results/webhooks/map'
import type { Context } from '../operations/call/context'
import { createKeyGenerator } from '../storage/database/keys'
import { openPostgresDatabase } from '../storage/database/postgres/postgres-database'
import type { TestContext } from './open-test-context'

type Calls = Pick<TestContext, 'context' | 'principal'>

/** Creates a webhook without HTTP. */
export async function createWebhookIn(
  { context, principal }: Calls,
  change: Partial<CreateWebhookRequest> & { url: string },
): Promise<CreatedWebhook> {
  const body = {
    name: 'Team',
    format: 'json',
    events: [],
    procedure_ids: [],
    yield_below: undefined,
    ...change,
  }
  const call = { context, principal, headers: {}, params: {}, query: undefined, body }
  return (await WEBHOOK_HANDLERS.createWebhook(call as never)) as CreatedWebhook
}

export async function callWebhook(
  { context, principal }: Calls,
  name: 'testWebhook' | 'retryWebhookDelivery' | 'updateWebhook' | 'deleteWebhook',
  { body, ...params }: { id: string; delivery_id?: string; body?: Partial<UpdateWebhookRequest> },
): Promise<unknown> {
  const call = { context, principal, headers: {}, params, query: undefined, body }
  return WEBHOOK_HANDLERS[name](call as never)
}

/** Newest first. */
export async function readDeliveries({ context }: Calls, webhookId: string): Promise<WebhookDelivery[]> {
  const { query } = context.database
  const webhook = await findWebhook(query, webhookId)
  if (!webhook) return []
  return (await listDeliveries(query, webhook.id, { limit: 100 })).map(mapDelivery)
}

/** The context of another service on the database. On PostgreSQL it has connections and keys of its own. */
export async function openPeer({ context }: Pick<Calls, 'context'>): Promise<{
  context: Context
  close(): Promise<void>
}> {
  const { database: url } = context.config
  if (url === undefined) return { context, close: () => Promise.resolve() }
  const database = await openPostgresDatabase(url, { log: context.log })
  return {
    context: { ...context, database, nextKey: createKeyGenerator(0) },
    close: () => database.close(),
  }
}
