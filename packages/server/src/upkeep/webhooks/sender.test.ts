import type { CreatedWebhook, WebhookDelivery } from '@runledger/protocol'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { US_PER_SECOND } from '../../base/clock'
import { findWebhook } from '../../record/results/webhooks/store'
import { openTestContext, type TestContext } from '../../testing/open-test-context'
import { callWebhook, createWebhookIn, openPeer, readDeliveries } from '../../testing/webhook-calls'
import {
  answerStatus,
  type Received,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../testing/webhook-receiver'
import { sendDue } from './sender'

let service: TestContext
let receiver: WebhookReceiver
let webhook: CreatedWebhook

beforeEach(async () => {
  service = await openTestContext()
  receiver = await startWebhookReceiver()
  webhook = await createWebhookIn(service, { url: receiver.url })
})

afterEach(async () => {
  await receiver.stop()
  await service.close()
})

const MINUTE = 60
const HOUR = 3600
const never = new AbortController().signal

const send = (timeoutMs?: number) =>
  sendDue(service.context, {
    signal: never,
    random: () => 0,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })

const queue = async (id = webhook.id) =>
  (await callWebhook(service, 'testWebhook', { id })) as WebhookDelivery

/** The newest message. */
async function read(id = webhook.id): Promise<WebhookDelivery> {
  const [delivery] = await readDeliveries(service, id)
  if (!delivery) throw new Error('no delivery')
  return delivery
}

const secondsUntilNext = (delivery: WebhookDelivery) =>
  (Date.parse(delivery.next_attempt_at ?? '') * 1000 - service.context.clock()) / US_PER_SECOND

/** Checks a signature as https://www.standardwebhooks.com describes it. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const digest = createHmac('sha256', key).update(signed).digest('base64')
  return headers['webhook-signature'] === `v1,${digest}`
}

describe('a message', () => {
  it('is signed with the secret of its webhook, and sent once', async () => {
    const { id } = await queue()
    await send()
    await send()
    const [received, ...others] = receiver.received as [Received]
    expect(others).toEqual([])
    expect(isSigned(received, webhook.secret)).toBe(true)
    const other = await createWebhookIn(service, { url: receiver.url })
    expect(isSigned(received, other.secret)).toBe(false)
    expect(received.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' })
    const age = service.context.clock() / US_PER_SECOND - Number(received.headers['webhook-timestamp'])
    expect(age).toBeGreaterThanOrEqual(0)
    expect(age).toBeLessThan(2)
    expect(JSON.parse(received.body)).toMatchObject({
      type: 'webhook.test',
      data: { webhook: { id: webhook.id, name: 'Team' } },
    })
    expect(await read()).toMatchObject({
      id,
      state: 'delivered',
      attempts: 1,
      last_status: 204,
      last_error: null,
    })
  })

  it('is text for Slack, without a signature', async () => {
    const slack = await createWebhookIn(service, { url: receiver.url, format: 'slack' })
    await queue(slack.id)
    await send()
    const [received] = receiver.received as [Received]
    expect(Object.keys(received.headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
    expect(JSON.parse(received.body)).toEqual({
      text: 'A test message of the webhook "Team" of Runledger.',
      blocks: [
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: 'A test message of the webhook "Team" of Runledger.',
            verbatim: true,
          },
        },
      ],
    })
  })

  it('is sent once by several services at the same time', async () => {
    await queue()
    const peers = await Promise.all([openPeer(service), openPeer(service), openPeer(service)])
    await Promise.all(peers.map(({ context }) => sendDue(context, { signal: never })))
    for (const { close } of peers) await close()
    expect(receiver.received).toHaveLength(1)
    expect(await read()).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  it('is sent again after an error, with the same id and a new signature', async () => {
    await queue()
    receiver.answer = answerStatus(500)
    await send()
    const failed = await read()
    expect(failed).toMatchObject({
      state: 'waiting',
      attempts: 1,
      last_status: 500,
      last_error: 'the receiver answered 500',
    })
    expect(secondsUntilNext(failed)).toBe(5)
    receiver.answer = answerStatus(200)
    service.advance(4 * US_PER_SECOND)
    await send()
    expect(receiver.received).toHaveLength(1)
    service.advance(US_PER_SECOND)
    await send()
    const [first, second] = receiver.received as [Received, Received]
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature'])
    expect(isSigned(second, webhook.secret)).toBe(true)
    expect(await read()).toMatchObject({
      state: 'delivered',
      attempts: 2,
      last_status: 200,
      last_error: null,
    })
  })

  it('fails after ten attempts within four days, and can be sent again by hand', async () => {
    await queue()
    receiver.answer = answerStatus(503)
    const waits: number[] = []
    for (;;) {
      await send()
      const delivery = await read()
      if (delivery.state !== 'waiting') break
      waits.push(secondsUntilNext(delivery))
      service.advance(secondsUntilNext(delivery) * US_PER_SECOND)
    }
    expect(waits).toEqual([
      5,
      5 * MINUTE,
      30 * MINUTE,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
    ])
    const failed = await read()
    expect(failed).toMatchObject({ state: 'failed', attempts: 10, next_attempt_at: null })
    receiver.answer = answerStatus(200)
    await callWebhook(service, 'retryWebhookDelivery', { id: webhook.id, delivery_id: failed.id })
    await send()
    expect(await read()).toMatchObject({ id: failed.id, state: 'delivered', attempts: 1 })
  })

  it.each([
    ['seconds', '120', 120],
    ['less than the schedule', '1', 5],
    ['more than a day', '9999999', 24 * HOUR],
    ['nonsense', 'soon', 5],
  ])('waits for Retry-After: %s', async (_what, header, seconds) => {
    await queue()
    receiver.answer = answerStatus(429, { 'retry-after': header })
    await send()
    expect(secondsUntilNext(await read())).toBe(seconds)
  })

  it('waits for Retry-After as a date', async () => {
    await queue()
    receiver.answer = answerStatus(503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() })
    await send()
    expect(secondsUntilNext(await read())).toBeGreaterThan(590)
  })
})

describe('a receiver', () => {
  it('that answers 410 disables its webhook', async () => {
    await queue()
    await queue()
    receiver.answer = answerStatus(410)
    await send()
    await send()
    const deliveries = await readDeliveries(service, webhook.id)
    expect(deliveries.map(({ state }) => state)).toEqual(['failed', 'failed'])
    expect((await findWebhook(service.context.database.query, webhook.id))?.enabled).toBe(0)
    await expect(queue()).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('that redirects gets nothing at the other address', async () => {
    await queue()
    receiver.answer = answerStatus(302, { location: new URL('/elsewhere', receiver.url).href })
    await send()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/services/T0/secret-path'])
    expect(await read()).toMatchObject({
      state: 'waiting',
      last_status: 302,
      last_error: 'the receiver answered 302, and redirects are not followed',
    })
  })

  it('that does not answer is given up', async () => {
    await queue()
    receiver.answer = () => undefined
    await send(50)
    expect(await read()).toMatchObject({
      state: 'waiting',
      attempts: 1,
      last_status: null,
      last_error: 'no answer within 0.05 seconds',
    })
  })

  it('whose answer never ends delays nothing', async () => {
    await queue()
    let closed: Promise<void> | undefined
    receiver.answer = (response) => {
      response.writeHead(200)
      const write = () => {
        while (response.write('x'.repeat(65_536))) if (response.destroyed) return
      }
      response.on('drain', write)
      closed = new Promise((resolve) => response.on('close', resolve))
      write()
    }
    await send()
    expect(await read()).toMatchObject({ state: 'delivered', last_status: 200 })
    await closed
  })

  it('that is not there leaves an error without its address', async () => {
    await receiver.stop()
    await queue()
    await send()
    const delivery = await read()
    expect(delivery).toMatchObject({ state: 'waiting', last_error: 'no connection (ECONNREFUSED)' })
    expect(JSON.stringify(delivery)).not.toMatch(/secret-path|127\.0\.0\.1/)
    receiver = await startWebhookReceiver()
  })

  it('that hangs gets at most three requests at once, and holds up no other host', async () => {
    const webhooks = [webhook, await createWebhookIn(service, { url: `${receiver.url}/2` })]
    for (const { id } of [...webhooks, ...webhooks, ...webhooks]) await queue(id)
    const other = await startWebhookReceiver()
    const ofOther = await createWebhookIn(service, { url: other.url })
    await queue(ofOther.id)
    const held: ServerResponse[] = []
    receiver.answer = (response) => void held.push(response)
    const sending = send()
    await vi.waitFor(() => expect([held.length, other.received.length]).toEqual([3, 1]), { timeout: 5_000 })
    receiver.answer = answerStatus(200)
    for (const response of held) response.end()
    await sending
    expect(receiver.received).toHaveLength(3)
    await other.stop()
  })
})

describe('a process that ends', () => {
  it('leaves a message that was not answered to be sent again after a minute', async () => {
    await queue()
    const stopping = new AbortController()
    receiver.answer = () => stopping.abort()
    await sendDue(service.context, { signal: stopping.signal })
    expect(await read()).toMatchObject({ state: 'waiting', attempts: 0 })
    receiver.answer = answerStatus(200)
    await send()
    expect(receiver.received).toHaveLength(1)
    service.advance(60 * US_PER_SECOND)
    await send()
    expect(await read()).toMatchObject({ state: 'delivered', attempts: 1 })
  })
})

it('sends nothing of a webhook that was disabled or deleted', async () => {
  await queue()
  await callWebhook(service, 'updateWebhook', { id: webhook.id, body: { enabled: false } })
  await send()
  expect(await read()).toMatchObject({ state: 'failed', last_error: 'the webhook was disabled' })
  await callWebhook(service, 'updateWebhook', { id: webhook.id, body: { enabled: true } })
  await queue()
  // Disabled while a message to it was queued.
  await service.context.database.write(async ({ query }) => {
    await query.updateTable('webhooks').set({ enabled: 0 }).execute()
  })
  await send()
  await callWebhook(service, 'deleteWebhook', { id: webhook.id })
  await send()
  expect(receiver.received).toEqual([])
})
