import {
  type CreatedWebhook,
  MAX_WEBHOOKS,
  type UpdateWebhookRequest,
  type Webhook,
  type WebhookDelivery,
} from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { failedValidation, HttpError, notFound } from '../../base/errors'
import { type Facts, HiddenValue } from '../../record/access/audit/record-change'
import { findKnownProcedure } from '../../record/catalogue/procedures/resolve-procedure'
import {
  failWaiting,
  findDelivery,
  insertDelivery,
  listDeliveries,
  updateDelivery,
} from '../../record/results/webhooks/delivery-store'
import { createDelivery, mapDelivery, mapWebhook, parseEvents } from '../../record/results/webhooks/map'
import { deriveWebhookSecret } from '../../record/results/webhooks/signature'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  replaceProcedures,
  updateWebhook,
  type WebhookRow,
} from '../../record/results/webhooks/store'
import type { Query } from '../../storage/database/database'
import { pageFrom } from '../../storage/database/sorted-page'
import type { WebhookDeliveriesTable, WebhooksTable } from '../../storage/database/schema/webhooks'
import type { Call, Handlers } from '../call/handler'

export const WEBHOOK_HANDLERS: Handlers<
  | 'listWebhooks'
  | 'createWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'testWebhook'
  | 'listWebhookDeliveries'
  | 'retryWebhookDelivery'
> = {
  listWebhooks: async ({ context, query }) =>
    pageFrom(await listWebhooks(context.database.query, query), query.limit, mapWebhook),
  createWebhook: (call) => create(call),
  updateWebhook: (call) => update(call),
  deleteWebhook: ({ context, params }) =>
    context.database.write(async (transaction) => {
      const webhook = await findKnown(transaction.query, params.id)
      await deleteWebhook(transaction.query, webhook.id)
      await context.recordChange(transaction, { ...describeWebhook(webhook), before: listFacts(webhook) })
      return { id: webhook.public_id }
    }),
  testWebhook: (call) => sendTest(call),
  listWebhookDeliveries: async ({ context, params, query }) => {
    const { id } = await findKnown(context.database.query, params.id)
    return pageFrom(await listDeliveries(context.database.query, id, query), query.limit, mapDelivery)
  },
  retryWebhookDelivery: (call) => retryDelivery(call),
}

/** @throws HttpError BAD_REQUEST, NOT_FOUND, CONFLICT */
async function create({ context, principal, body }: Call<'createWebhook'>): Promise<CreatedWebhook> {
  const { procedure_ids: named = [], events = [], yield_below: limit, ...texts } = body
  refuseMissingLimit({ events, yield_below: limit ?? null })
  return context.database.write(async (transaction) => {
    const { query } = transaction
    if ((await countWebhooks(query)) >= MAX_WEBHOOKS)
      throw new HttpError('CONFLICT', `There are ${MAX_WEBHOOKS} webhooks, the most. Delete one first.`)
    const nowUs = context.clock()
    const webhook: WebhooksTable = {
      ...texts,
      id: context.nextKey(),
      public_id: randomUUID(),
      events: JSON.stringify(events),
      all_procedures: named.length === 0 ? 1 : 0,
      yield_below: limit ?? null,
      enabled: 1,
      since_us: nowUs,
      created_at_us: nowUs,
      created_by_user_id: principal.userId,
    }
    await insertWebhook(query, webhook)
    await replaceProcedures(query, webhook.id, await findProcedures(query, named))
    const created = await findKnown(query, webhook.public_id)
    await context.recordChange(transaction, { ...describeWebhook(created), after: listFacts(created) })
    return {
      ...mapWebhook(created),
      secret: deriveWebhookSecret(context.webhookKey, webhook.public_id),
    }
  })
}

function describeWebhook({ public_id: id, name }: WebhookRow) {
  return { kind: 'webhook', id, name } as const
}

function listFacts(row: WebhookRow): Facts {
  const { name, url, format, events, procedures, yield_below, enabled } = mapWebhook(row)
  return {
    name,
    url,
    // Part of it may be a secret.
    whole_url: new HiddenValue(row.url),
    format,
    events,
    procedures: procedures?.map((procedure) => procedure.name) ?? null,
    yield_below,
    enabled,
  }
}

/** @throws HttpError NOT_FOUND */
async function findProcedures(query: Query, named: readonly string[]): Promise<number[]> {
  const ids = new Set<number>()
  for (const name of named) ids.add((await findKnownProcedure(query, name)).id)
  return [...ids]
}

/** @throws HttpError BAD_REQUEST */
function refuseMissingLimit(webhook: { events: readonly string[]; yield_below: number | null }): void {
  if (!webhook.events.includes('line.yield_below') || webhook.yield_below) return
  throw failedValidation([
    { path: ['yield_below'], message: 'must be above 0 for the event "line.yield_below"' },
  ])
}

/** @throws HttpError BAD_REQUEST, NOT_FOUND */
async function update({ context, params, body }: Call<'updateWebhook'>): Promise<Webhook> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const webhook = await findKnown(query, params.id)
    refuseMissingLimit({
      events: body.events ?? parseEvents(webhook),
      yield_below: body.yield_below ?? webhook.yield_below,
    })
    await updateWebhook(query, webhook.id, changeColumns(body, context.clock()))
    if (body.procedure_ids)
      await replaceProcedures(query, webhook.id, await findProcedures(query, body.procedure_ids))
    if (body.enabled === false) await failWaiting(query, webhook.id, 'the webhook was disabled')
    const changed = await findKnown(query, params.id)
    await context.recordChange(transaction, {
      ...describeWebhook(webhook),
      before: listFacts(webhook),
      after: listFacts(changed),
    })
    return mapWebhook(changed)
  })
}

function changeColumns(body: UpdateWebhookRequest, nowUs: number): Partial<WebhooksTable> {
  const { name, url, format, events, procedure_ids: named, yield_below: limit, enabled } = body
  const isOfOthers = enabled === true || events !== undefined || named !== undefined
  return {
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url }),
    ...(format === undefined ? {} : { format }),
    ...(events === undefined ? {} : { events: JSON.stringify(events) }),
    ...(named === undefined ? {} : { all_procedures: named.length === 0 ? 1 : 0 }),
    ...(limit === undefined ? {} : { yield_below: limit }),
    ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
    ...(isOfOthers ? { since_us: nowUs } : {}),
  }
}

/** @throws HttpError NOT_FOUND, CONFLICT */
async function sendTest({ context, params }: Call<'testWebhook'>): Promise<WebhookDelivery> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const webhook = await findEnabled(query, params.id)
    const { id, public_id: publicId, name } = webhook
    const delivery = createDelivery(context, {
      webhook_id: id,
      procedure_id: null,
      subject: `test ${randomUUID()}`,
      number: 1,
      content: { type: 'webhook.test', data: { webhook: { id: publicId, name } } },
    })
    await insertDelivery(query, delivery)
    await context.recordChange(transaction, describeWebhook(webhook))
    return mapDelivery(delivery)
  })
}

/** @throws HttpError NOT_FOUND, CONFLICT */
async function retryDelivery({ context, params }: Call<'retryWebhookDelivery'>): Promise<WebhookDelivery> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const webhook = await findEnabled(query, params.id)
    const delivery = await findDelivery(query, webhook.id, params.delivery_id)
    if (!delivery) throw notFound(`delivery with the id "${params.delivery_id}"`)
    const change: Partial<WebhookDeliveriesTable> = {
      attempts: 0,
      next_attempt_at_us: context.clock(),
      delivered_at_us: null,
    }
    await updateDelivery(query, delivery.id, change)
    await context.recordChange(transaction, {
      ...describeWebhook(webhook),
      before: {},
      after: { sent_again: delivery.public_id },
    })
    return mapDelivery({ ...delivery, ...change })
  })
}

/** @throws HttpError NOT_FOUND */
async function findKnown(query: Query, publicId: string): Promise<WebhookRow> {
  const webhook = await findWebhook(query, publicId)
  if (webhook) return webhook
  throw notFound(`webhook with the id "${publicId}"`)
}

/** @throws HttpError NOT_FOUND, CONFLICT */
async function findEnabled(query: Query, publicId: string): Promise<WebhookRow> {
  const webhook = await findKnown(query, publicId)
  if (webhook.enabled === 1) return webhook
  throw new HttpError('CONFLICT', `The webhook "${webhook.name}" is disabled. Enable it first.`)
}
