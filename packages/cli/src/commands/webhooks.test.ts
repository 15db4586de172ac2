import type { CreatedWebhook, Page, Webhook, WebhookDelivery } from '@runledger/protocol'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
})

afterAll(() => service.stop())

beforeEach(async () => {
  for (const { id } of await list()) await service.run(['webhooks', 'remove', id])
})

// Nothing listens there.
const ADDRESS = 'http://127.0.0.1:9/services/T0/secret-path'

async function list(): Promise<Webhook[]> {
  const { out } = await service.run(['webhooks', '--json'])
  return JSON.parse(out) as Webhook[]
}

async function add(...more: string[]): Promise<CreatedWebhook> {
  const { out, err } = await service.run(['webhooks', 'add', ADDRESS, ...more, '--json'])
  if (out === '') throw new Error(err)
  return JSON.parse(out) as CreatedWebhook
}

it('adds a webhook and prints its secret once', async () => {
  const { code, out, err } = await service.run(['webhooks', 'add', ADDRESS])
  expect(code).toBe(0)
  expect(out).toMatch(/^whsec_[\w+/]{43}=\n$/)
  expect(err).toContain('not shown again')
  const { out: listed } = await service.run(['webhooks'])
  expect(listed).toContain('127.0.0.1:9')
  expect(listed).not.toMatch(/whsec|secret-path/)
})

it('adds one for events of a procedure', async () => {
  const options = [
    '--name',
    'Line',
    '--format',
    'slack',
    '--event',
    'line.yield_below',
    '--event',
    'test.fixed',
  ]
  const webhook = await add(...options, '--procedure', service.procedureId, '--yield-below', '0.95')
  expect(webhook).toMatchObject({
    name: 'Line',
    format: 'slack',
    events: ['line.yield_below', 'test.fixed'],
    procedures: [{ identifier: service.procedureId }],
    yield_below: 0.95,
  })
  const { out } = await service.run(['webhooks', 'list'])
  expect(out).toMatch(
    /Line +enabled +http:\/\/127\.0\.0\.1:9\/… +slack +line\.yield_below, test\.fixed \(yield below 0\.95\)/,
  )
})

it('disables, enables and deletes one by the beginning of its id', async () => {
  const { id } = await add()
  expect((await service.run(['webhooks', 'disable', id.slice(0, 8)])).out).toContain('is disabled')
  expect(await list()).toMatchObject([{ id, enabled: false }])
  expect(await service.run(['webhooks', 'test', id])).toMatchObject({
    code: 1,
    err: expect.stringContaining('disabled') as string,
  })
  expect((await service.run(['webhooks', 'enable', id.slice(0, 8)])).out).toContain('is enabled')
  expect((await service.run(['webhooks', 'remove', id.slice(0, 8)])).out).toBe(`Webhook ${id} was deleted.\n`)
  expect((await service.run(['webhooks'])).out).toBe('There are no webhooks.\n')
})

it('sends a test, lists messages and sends one again', async () => {
  const { id } = await add()
  expect((await service.run(['webhooks', 'deliveries', id])).out).toBe('There are no messages.\n')
  const { out } = await service.run(['webhooks', 'test', id.slice(0, 8), '--json'])
  const delivery = JSON.parse(out) as WebhookDelivery
  expect((await service.run(['webhooks', 'deliveries', id])).out).toMatch(
    new RegExp(`Id +Message +State .*\\n${delivery.id} +webhook\\.test +waiting `),
  )
  const again = await service.run(['webhooks', 'retry', id, delivery.id])
  expect(again.out).toBe(`Message ${delivery.id} (webhook.test) is sent within seconds.\n`)
  await service.run(['webhooks', 'test', id])
  const page = JSON.parse(
    (await service.run(['webhooks', 'deliveries', id, '--limit', '1', '--json'])).out,
  ) as Page<WebhookDelivery>
  expect(page).toMatchObject({ data: [{ kind: 'webhook.test' }], meta: { has_more: true } })
})

it.each([
  ['an unknown event', ['add', ADDRESS, '--event', 'build.completed']],
  ['an unknown format', ['add', ADDRESS, '--format', 'xml']],
  ['a yield in percent', ['add', ADDRESS, '--yield-below', '95']],
  ['no address', ['add']],
  ['no message', ['retry', 'a']],
])('is a wrong command line with %s', async (_what, argv) => {
  expect((await service.run(['webhooks', ...argv])).code).toBe(2)
})

it('fails for a webhook that is not there, and for what is no address', async () => {
  expect(await service.run(['webhooks', 'test', 'zzz'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('the id of no webhook begins with "zzz"') as string,
  })
  expect((await service.run(['webhooks', 'add', 'ftp://example.com'])).code).toBe(1)
})
