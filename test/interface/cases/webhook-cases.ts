import { expect } from 'vitest'
import {
  type CreatedWebhook,
  MAX_WEBHOOKS,
  type Page,
  type Webhook,
  type WebhookDelivery,
} from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

// Nothing listens there: what is sent to it stays waiting.
const URL = 'http://127.0.0.1:9/services/T0/secret-path'

const REQUEST = { name: 'Team', url: URL }

/** Other cases filled the list. */
async function makeRoom({ client }: World): Promise<void> {
  const { data } = await client.listWebhooks({ query: { limit: 100 } })
  if (data.length < MAX_WEBHOOKS - 10) return
  for (const { id } of data) await client.deleteWebhook({ params: { id } })
}

async function create(world: World): Promise<CreatedWebhook> {
  await makeRoom(world)
  return world.client.createWebhook({ body: REQUEST })
}

async function createDisabled(world: World): Promise<string> {
  const { id } = await create(world)
  await world.client.updateWebhook({ params: { id }, body: { enabled: false } })
  return id
}

async function createWithDelivery(world: World): Promise<{ id: string; delivery_id: string }> {
  const { id } = await create(world)
  const delivery = await world.client.testWebhook({ params: { id } })
  return { id, delivery_id: delivery.id }
}

const CREATE_CASES: readonly ContractCase[] = [
  {
    operation: 'createWebhook',
    answers: 'ok',
    input: async (world) => {
      await makeRoom(world)
      return { body: REQUEST }
    },
    check: (webhook: CreatedWebhook) => {
      const { secret, ...shown } = webhook
      expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
      expect(shown).toMatchObject({
        name: 'Team',
        url: 'http://127.0.0.1:9/…',
        format: 'json',
        events: [],
        procedures: null,
        yield_below: null,
        enabled: true,
      })
    },
  },
  {
    operation: 'createWebhook',
    answers: 'ok',
    when: 'for events of a procedure',
    input: async (world) => {
      await makeRoom(world)
      return {
        body: {
          ...REQUEST,
          format: 'slack',
          events: ['test.fixed', 'line.yield_below'],
          procedure_ids: ['contract', world.procedureId],
          yield_below: 0.95,
        },
      }
    },
    check: (webhook: CreatedWebhook, { procedureId }) => {
      expect(webhook).toMatchObject({
        format: 'slack',
        events: ['test.fixed', 'line.yield_below'],
        procedures: [{ id: procedureId, identifier: 'CONTRACT' }],
        yield_below: 0.95,
      })
    },
  },
  ...[
    ['a file as its address', { url: 'file:///etc/passwd' }],
    ['a password in its address', { url: 'https://a:b@example.com/' }],
    ['a user in its address', { url: 'https://a@example.com/' }],
    ['an unknown event', { events: ['build.completed'] }],
    ['an unknown format', { format: 'xml' }],
    ['a yield above 1', { yield_below: 95 }],
    ['the yield without a limit', { events: ['line.yield_below'] }],
    ['no name', { name: ' ' }],
  ].map(([when, change]): ContractCase => ({
    operation: 'createWebhook',
    answers: 'BAD_REQUEST',
    when: when as string,
    input: () => ({ body: { ...REQUEST, ...(change as object) } }),
  })),
  {
    operation: 'createWebhook',
    answers: 'NOT_FOUND',
    input: async (world) => {
      await makeRoom(world)
      return { body: { ...REQUEST, procedure_ids: [UNKNOWN_ID] } }
    },
  },
  {
    operation: 'createWebhook',
    answers: 'CONFLICT',
    when: 'more than there may be',
    input: async ({ client }) => {
      const { data } = await client.listWebhooks({ query: { limit: 100 } })
      for (let count = data.length; count < MAX_WEBHOOKS; count += 1)
        await client.createWebhook({ body: REQUEST })
      return { body: REQUEST }
    },
  },
]

const CHANGE_CASES: readonly ContractCase[] = [
  {
    operation: 'updateWebhook',
    answers: 'ok',
    input: async (world) => ({
      params: { id: (await create(world)).id },
      body: { name: 'Others', events: ['test.fixed'], procedure_ids: ['CONTRACT'], enabled: false },
    }),
    check: (webhook: Webhook) => {
      expect(webhook).not.toHaveProperty('secret')
      expect(webhook).toMatchObject({
        name: 'Others',
        url: 'http://127.0.0.1:9/…',
        events: ['test.fixed'],
        procedures: [{ identifier: 'CONTRACT' }],
        enabled: false,
      })
    },
  },
  {
    operation: 'updateWebhook',
    answers: 'BAD_REQUEST',
    when: 'the yield without a limit',
    input: async (world) => ({
      params: { id: (await create(world)).id },
      body: { events: ['line.yield_below'] },
    }),
  },
  {
    operation: 'updateWebhook',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID }, body: {} }),
  },
  {
    operation: 'deleteWebhook',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await createWithDelivery(world)).id } }),
    check: async ({ id }: { id: string }, world) => {
      const { data } = await world.client.listWebhooks({ query: { limit: 100 } })
      expect(data.map((webhook) => webhook.id)).not.toContain(id)
    },
  },
  { operation: 'deleteWebhook', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
]

const LIST_CASES: readonly ContractCase[] = [
  {
    operation: 'listWebhooks',
    answers: 'ok',
    input: async (world) => {
      await create(world)
      await create(world)
      return { query: { limit: 1 } }
    },
    check: ({ data, meta }: Page<Webhook>) => {
      expect(data).toMatchObject([{ name: 'Team', enabled: true }])
      expect(JSON.stringify(data)).not.toMatch(/secret/)
      expect(meta.has_more).toBe(true)
    },
  },
  {
    operation: 'listWebhooks',
    answers: 'BAD_REQUEST',
    when: 'a limit of 0',
    input: () => ({ query: { limit: 0 } }),
  },
]

const DELIVERY_CASES: readonly ContractCase[] = [
  {
    operation: 'testWebhook',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await create(world)).id } }),
    check: (delivery: WebhookDelivery) => {
      expect(delivery).toMatchObject({ kind: 'webhook.test', state: 'waiting', attempts: 0 })
    },
  },
  { operation: 'testWebhook', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'testWebhook',
    answers: 'CONFLICT',
    when: 'a disabled one',
    input: async (world) => ({ params: { id: await createDisabled(world) } }),
  },
  {
    operation: 'listWebhookDeliveries',
    answers: 'ok',
    input: async (world) => {
      const { id } = await createWithDelivery(world)
      await world.client.testWebhook({ params: { id } })
      return { params: { id }, query: { limit: 1 } }
    },
    check: ({ data, meta }: Page<WebhookDelivery>) => {
      expect(data).toMatchObject([{ kind: 'webhook.test' }])
      expect(JSON.stringify(data)).not.toMatch(/secret/)
      expect(meta.has_more).toBe(true)
    },
  },
  {
    operation: 'listWebhookDeliveries',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID } }),
  },
  {
    operation: 'retryWebhookDelivery',
    answers: 'ok',
    input: async (world) => ({ params: await createWithDelivery(world) }),
    check: (delivery: WebhookDelivery) => {
      expect(delivery).toMatchObject({ kind: 'webhook.test', state: 'waiting', attempts: 0 })
    },
  },
  {
    operation: 'retryWebhookDelivery',
    answers: 'NOT_FOUND',
    when: 'a delivery to another webhook',
    input: async (world) => ({
      params: { ...(await createWithDelivery(world)), id: (await create(world)).id },
    }),
  },
  {
    operation: 'retryWebhookDelivery',
    answers: 'CONFLICT',
    when: 'a disabled one',
    input: async (world) => {
      const params = await createWithDelivery(world)
      await world.client.updateWebhook({ params: { id: params.id }, body: { enabled: false } })
      return { params }
    },
  },
]

export const WEBHOOK_CASES: readonly ContractCase[] = [
  ...CREATE_CASES,
  ...CHANGE_CASES,
  ...LIST_CASES,
  ...DELIVERY_CASES,
]
