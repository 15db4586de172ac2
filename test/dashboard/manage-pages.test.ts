// @module-tag chromium
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KeyListItem, Webhook } from '@runledger/protocol'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { makeRun } from './made-runs'
import { PageInspector, WIDTHS } from './page-inspector'

let service: Service
let inspector: PageInspector
let page: Page
let receiver: Server
let receiverUrl = ''
const received: IncomingMessage['headers'][] = []

beforeAll(async () => {
  receiver = createServer((request, response) => {
    received.push(request.headers)
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/secret-part`
  service = await startService()
  await makeRun(service, {})
  inspector = await PageInspector.start(service)
  page = await inspector.openPage()
}, 120_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
  receiver.close()
})

/** By keyboard. */
async function press(target: Locator): Promise<void> {
  await target.focus()
  await page.keyboard.press('Enter')
}

async function typeKey(): Promise<void> {
  await page.getByLabel(/^The key of an admin/).fill(service.apiKey)
}

async function list<Item>(pathname: string): Promise<Item[]> {
  return ((await (await service.get(pathname)).json()) as { data: Item[] }).data
}

/** A run without its members is refused with 400 to a key that may create runs. */
async function statusWith(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return (await fetch(`${service.url}/v2/runs`, { method: 'POST', headers, body: '{}' })).status
}

it('issues a key, shows it once, replaces and revokes it', async () => {
  await page.goto(`${service.url}/`)
  await press(page.getByRole('link', { name: 'Manage' }))
  await page.getByRole('heading', { name: 'Manage' }).waitFor()
  await press(page.getByRole('button', { name: 'Issue a key' }))
  const form = page.getByRole('form', { name: 'Issue a key' })
  await form.getByLabel('Project').selectOption({ index: 1 })
  await form.getByLabel(/^Name/).fill('Pipeline')
  await form.getByLabel(/^Days until it expires/).fill('30')
  expect(await form.getByRole('button', { name: 'Issue it' }).isDisabled()).toBe(true)
  await typeKey()
  await form.getByLabel(/^Name/).press('Enter')
  const shown = page.getByRole('status')
  const first = await shown.locator('code').innerText()
  expect(first).toMatch(/^rl_project_/)
  expect(await statusWith(first)).toBe(400)
  await press(shown.getByRole('button', { name: 'Done' }))
  const row = page.getByRole('listitem', { name: 'Pipeline' })
  await row.getByText(first.slice(-4)).waitFor()
  expect(await page.content()).not.toContain(first)

  await press(row.getByRole('button', { name: /^Replace/ }))
  const replacing = page.getByRole('form', { name: 'Replace it Pipeline' })
  await replacing.getByLabel(/^Type/).fill('Pipelin')
  expect(await replacing.getByRole('button', { name: 'Replace it' }).isDisabled()).toBe(true)
  await replacing.getByLabel(/^Type/).fill('Pipeline')
  await replacing.getByLabel(/^Type/).press('Enter')
  const second = await shown.locator('code').innerText()
  expect([await statusWith(first), await statusWith(second)]).toEqual([401, 400])

  const valid = page.getByRole('listitem', { name: 'Pipeline' }).filter({ hasText: 'Valid' })
  await press(valid.getByRole('button', { name: /^Revoke/ }))
  await page.getByRole('form', { name: 'Revoke it Pipeline' }).getByLabel(/^Type/).fill('Pipeline')
  await page.keyboard.press('Enter')
  await valid.waitFor({ state: 'detached' })
  expect(await statusWith(second)).toBe(401)
  const keys = await list<KeyListItem>('/v2/keys')
  expect(keys.filter(({ name, revoked_at: at }) => name === 'Pipeline' && at === null)).toEqual([])
})

it('reports why a key was not revoked', async () => {
  await page.goto(`${service.url}/manage/keys`)
  await typeKey()
  const [own] = (await list<KeyListItem>('/v2/keys')).filter(({ revoked_at: at }) => at === null)
  const row = page.getByRole('listitem', { name: own?.name ?? '', exact: true })
  await press(row.getByRole('button', { name: /^Revoke/ }))
  await row.getByLabel(/^Type/).fill(own?.name ?? '')
  await row.getByLabel(/^Type/).press('Enter')
  await row
    .getByRole('alert')
    .getByText(/^Not done: /)
    .waitFor()
  expect(await statusWith(service.apiKey)).toBe(400)
})

it('adds a webhook, sends a test message to it, disables and deletes it', async () => {
  await page.goto(`${service.url}/manage`)
  await page.waitForURL(/\/manage\/keys$/)
  await press(page.getByRole('link', { name: 'Webhooks' }))
  await page.getByText('There are no webhooks').waitFor()
  await typeKey()
  await press(page.getByRole('button', { name: 'Add a webhook' }))
  const form = page.getByRole('form', { name: 'Add a webhook' })
  await form.getByLabel('Name').fill('Operations')
  await form.getByLabel('Address').fill(receiverUrl)
  await form.getByLabel('A test is fixed').press('Space')
  await form.getByLabel(/^Limit of the yield/).fill('97.5')
  await form.getByLabel('Name').press('Enter')
  const secret = await page.getByRole('status').locator('code').innerText()
  expect(secret).toMatch(/^whsec_/)
  const [webhook] = await list<Webhook>('/v2/webhooks')
  expect(webhook).toMatchObject({ name: 'Operations', format: 'json', yield_below: 0.975, procedures: null })
  expect(webhook?.events).toHaveLength(6)
  expect(webhook?.events).not.toContain('test.fixed')

  const row = page.getByRole('listitem', { name: 'Operations' })
  expect(await row.innerText()).not.toContain('secret-part')
  await press(row.getByRole('button', { name: /^Send a test/ }))
  await row.getByText('webhook.test').waitFor()
  await row.getByText('Delivered').waitFor({ timeout: 30_000 })
  expect(received).toHaveLength(1)
  await press(row.getByRole('button', { name: 'Send again' }))
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(2)
  expect(received[1]?.['webhook-id']).toBe(received[0]?.['webhook-id'])

  await press(row.getByRole('button', { name: /^Disable/ }))
  await row.getByText('Disabled', { exact: true }).waitFor()
  expect(await row.getByRole('button', { name: /^Send a test/ }).isDisabled()).toBe(true)
  await press(row.getByRole('button', { name: /^Delete/ }))
  await row.getByLabel(/^Type/).fill('Operations')
  await row.getByLabel(/^Type/).press('Enter')
  await page.getByText('There are no webhooks').waitFor()
  expect(await list('/v2/webhooks')).toEqual([])
})

it('reports that a viewer may not see them', async () => {
  const response = await fetch(`${service.url}/v2/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'user', role: 'viewer', name: 'Viewer' }),
  })
  const { key } = (await response.json()) as { key: string }
  const own = await page.context().browser()?.newContext()
  const viewers = await own?.newPage()
  await viewers?.goto(`${service.url}/sign-in?next=/manage/keys`)
  await viewers?.getByLabel('API key').fill(key)
  await viewers?.keyboard.press('Enter')
  await viewers?.getByText('The keys could not be read').waitFor()
  await viewers?.getByText(/admin/).last().waitFor()
  await own?.close()
})

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each([
    ['keys', 'Issue a key', 'Revoke it', /^Revoke/],
    ['webhooks', 'Add a webhook', 'Delete it', /^Delete/],
  ] as const)(
    'managing %s moves nothing, fits, and axe finds nothing wrong',
    async (section, add, _word, end) => {
      if (section === 'webhooks') await addWebhook()
      const open = async (own: Page) => {
        await own.goto(`${service.url}/manage/${section}`)
        await own.getByLabel(/^The key of an admin/).fill(service.apiKey)
        await own.getByRole('button', { name: add }).click()
        await own.getByRole('button', { name: end }).first().click()
        if (section === 'webhooks')
          await own
            .getByText(/^Messages of the last/)
            .first()
            .click()
        await own.waitForLoadState('networkidle')
      }
      expect(await inspector.inspect(`manage ${section}`, width, { open })).toEqual([])
    },
  )
})

async function addWebhook(): Promise<void> {
  const send = (pathname: string, body: unknown) =>
    fetch(service.url + pathname, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const response = await send('/v2/webhooks', {
    name: 'A channel with a long name, so that it needs more than one line on a phone',
    url: receiverUrl,
    format: 'slack',
    events: ['test.newly_failing', 'test.failing_in_a_row', 'line.out_of_control'],
  })
  const { id } = (await response.json()) as Webhook
  await send(`/v2/webhooks/${id}/test`, {})
}
