import type { CreatedWebhook, Page, Webhook, WebhookDelivery, WebhookMessage } from '@runledger/protocol'
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver'

let server: TestServer
let receiver: WebhookReceiver

beforeEach(async () => {
  receiver = await startWebhookReceiver()
  server = await startTestServer({}, { webhookIntervals: { detectMs: 20, sendMs: 20 } })
})

afterEach(async () => {
  await server.stop()
  await receiver.stop()
})

const get = createResponse(() => server)

const create = (change: object = {}) =>
  get<CreatedWebhook>('POST', '/v2/webhooks', { name: 'Team', url: receiver.url, ...change })

const listDeliveries = async (id: string) =>
  (await get<Page<WebhookDelivery>>('GET', `/v2/webhooks/${id}/deliveries`)).data

async function report(group: string, hasPassed: boolean, procedureId = server.procedureId): Promise<void> {
  const started_at = new Date().toISOString()
  await server.createRun({
    procedure_id: procedureId,
    started_at,
    run_passed: hasPassed,
    report_variables: { group, file: 'a.test.ts', git_branch: 'main', git_default_branch: 'main' },
    steps: [
      {
        name: 'adds',
        kind: 'test',
        step_passed: hasPassed,
        started_at,
        duration: 'PT1S',
        ...(hasPassed ? {} : { error: { message: 'expected 3 to be 4' } }),
      },
    ],
  })
}

/** The first message that the receiver got. */
async function receive() {
  await vi.waitFor(() => expect(receiver.received).not.toEqual([]), { timeout: 10_000 })
  return receiver.received[0] as (typeof receiver.received)[number]
}

it('sends a failure of the default branch from its run to a receiver that knows the secret', async () => {
  const { id, secret } = await create()
  await report('ci-1', true)
  await report('ci-2', false)
  server.advance(90)
  const { headers, body } = await receive()
  const message = JSON.parse(body) as Extract<WebhookMessage, { data: { tests: unknown } }>
  expect(message).toMatchObject({
    type: 'test.newly_failing',
    data: { build: { group: 'ci-2' }, tests: [{ name: 'adds', error: 'expected 3 to be 4' }], more: 0 },
  })
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  // Its links lead to what they name.
  const test = await get<{ name: string }>(
    'GET',
    new URL(message.data.tests[0]?.url ?? '').pathname.replace('/tests', '/v2/tests'),
  )
  expect(test.name).toBe('adds')
  await vi.waitFor(async () => {
    expect(await listDeliveries(id)).toMatchObject([
      { kind: 'test.newly_failing', state: 'delivered', attempts: 1 },
    ])
  })
  expect(receiver.received).toHaveLength(1)
})

it('takes runs and stops while a receiver hangs', async () => {
  const { id } = await create()
  receiver.answer = () => undefined
  await get('POST', `/v2/webhooks/${id}/test`)
  await receive()
  await report('ci-1', true)
  const beganAt = performance.now()
  await server.running.close()
  expect(performance.now() - beganAt).toBeLessThan(5_000)
  expect(server.logged.filter((line) => line.includes('ebhook'))).toEqual([])
})

it('logs and answers nothing of an address but its origin', async () => {
  const { id } = await create({ format: 'slack' })
  receiver.answer = (response) => void response.writeHead(410).end()
  await get('POST', `/v2/webhooks/${id}/test`)
  await vi.waitFor(async () => {
    expect(await listDeliveries(id)).toMatchObject([{ state: 'failed', last_status: 410 }])
  })
  const listed = await get<Page<Webhook>>('GET', '/v2/webhooks')
  expect(listed.data).toMatchObject([{ id, enabled: false, url: `${new URL(receiver.url).origin}/…` }])
  expect(server.logged).toContain('A webhook was disabled: its receiver answered 410')
  expect(JSON.stringify([listed, await listDeliveries(id), server.logged])).not.toContain('secret-path')
})

it('deletes messages about a procedure with the procedure, and names it no longer', async () => {
  const { id: procedureId } = await get<{ id: string }>('POST', '/v2/procedures', { name: 'Gone' })
  const { id } = await create({ procedure_ids: [procedureId] })
  const all = await create()
  await report('ci-1', true, procedureId)
  await report('ci-2', false, procedureId)
  server.advance(90)
  await vi.waitFor(async () => expect(await listDeliveries(id)).toHaveLength(1), { timeout: 10_000 })
  await get('DELETE', `/v2/procedures/${procedureId}`)
  await vi.waitFor(async () => expect(await listDeliveries(id)).toEqual([]))
  expect(await listDeliveries(all.id)).toEqual([])
  const { data } = await get<Page<Webhook>>('GET', '/v2/webhooks')
  expect(data.map(({ procedures }) => procedures)).toEqual([null, []])
})
