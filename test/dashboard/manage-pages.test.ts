// @module-tag chromium
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KeyListItem, Webhook } from '@runledger/protocol'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { makeRun, send } from './made-runs'
import { list, save, typeAtOnce } from './managing'
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

async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.and(page.locator(':focus')).count()) === 1
}

/** A run without its members is refused with 400 to a key that may create runs. */
async function statusWith(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return (await fetch(`${service.url}/v2/runs`, { method: 'POST', headers, body: '{}' })).status
}

it('creates a key, shows it once, replaces and revokes it', async () => {
  await page.goto(`${service.url}/`)
  await page.getByRole('link', { name: 'Manage' }).press('Enter')
  await page.getByRole('heading', { name: 'Manage' }).waitFor()
  await page.getByRole('button', { name: 'Create a key' }).press('Enter')
  const form = page.getByRole('form', { name: 'Create a key' })
  await typeAtOnce(form.getByLabel(/^Name/), 'Pipeline')
  await form.getByLabel('Project').selectOption({ index: 1 })
  await form.getByLabel(/^Days until it expires/).fill('30')
  await form.getByLabel(/^Name/).press('Enter')
  const shown = page.getByRole('region', { name: /^The new key "Pipeline"/ })
  const first = await shown.locator('code').innerText()
  expect(first).toMatch(/^rl_project_/)
  expect(await statusWith(first)).toBe(400)
  expect(await hasFocus(shown)).toBe(true)
  await shown.getByRole('button', { name: 'Done' }).press('Enter')
  const row = page.getByRole('listitem', { name: 'Pipeline' })
  await row.getByText(first.slice(-4)).waitFor()
  expect(await page.content()).not.toContain(first)

  await row.getByRole('button', { name: /^Replace/ }).press('Enter')
  const replacing = page.getByRole('form', { name: 'Replace Pipeline' })
  await typeAtOnce(replacing.getByLabel(/^Type/), 'Pipelin')
  expect(await replacing.getByRole('button', { name: 'Replace it' }).isDisabled()).toBe(true)
  await page.keyboard.type('e')
  await page.keyboard.press('Enter')
  const second = await shown.locator('code').innerText()
  expect([await statusWith(first), await statusWith(second)]).toEqual([401, 400])
  await shown.getByRole('button', { name: 'Done' }).press('Enter')

  const valid = row.filter({ hasText: 'Valid' })
  await valid.getByRole('button', { name: /^Revoke/ }).press('Enter')
  await typeAtOnce(valid.getByLabel(/^Type/), 'Pipeline')
  await page.keyboard.press('Enter')
  await valid.waitFor({ state: 'detached' })
  expect(await statusWith(second)).toBe(401)
  const keys = await list<KeyListItem>(service, '/v2/keys')
  expect(keys.filter(({ name, revoked_at: at }) => name === 'Pipeline' && at === null)).toEqual([])
})

it('shows new secrets until each is done with, whatever else is opened', async () => {
  await page.goto(`${service.url}/manage/keys`)
  for (const name of ['First', 'Second']) {
    await page.getByRole('button', { name: 'Create a key' }).press('Enter')
    await typeAtOnce(page.getByLabel(/^Name/), name)
    await page.getByLabel('Project').selectOption({ index: 1 })
    await page.getByLabel(/^Name/).press('Enter')
    await page.getByRole('region', { name: `The new key "${name}"` }).waitFor()
  }
  const opener = page.getByRole('button', { name: 'Create a key' })
  await opener.press('Enter')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  expect(await hasFocus(opener)).toBe(true)
  await page.getByRole('link', { name: 'Webhooks' }).press('Enter')
  await page.getByText('There are no webhooks').waitFor()
  const shown = page.getByRole('region', { name: /^The new key/ })
  expect(await shown.count()).toBe(2)

  page.once('dialog', (dialog) => void dialog.dismiss())
  await page.getByRole('link', { name: 'Home' }).press('Enter')
  expect(await shown.count()).toBe(2)
  expect(new URL(page.url()).pathname).toBe('/manage/webhooks')
  // A session that has ended leads to the sign-in page, but not before.
  await page.getByRole('link', { name: 'Keys' }).press('Enter')
  await page.context().clearCookies()
  const refused = page.waitForResponse(
    (response) => response.status() === 401 && response.request().method() === 'GET',
  )
  await opener.press('Enter')
  await typeAtOnce(page.getByLabel(/^Name/), 'Third')
  await page.getByLabel('Project').selectOption({ index: 1 })
  await page.getByLabel(/^Name/).press('Enter')
  await refused
  await page
    .getByRole('alert')
    .getByText(/^Not done: /)
    .waitFor()
  for (let left = 2; left > 0; left -= 1) {
    expect(await shown.count()).toBe(left)
    await shown.first().getByRole('button', { name: 'Done' }).press('Enter')
  }
  await page.getByRole('link', { name: 'Webhooks' }).press('Enter')
  await page.waitForURL(/\/sign-in/)
  await page.context().close()
  page = await inspector.openPage()
})

it('asks before it is left while a new key is on its way', async () => {
  await page.goto(`${service.url}/manage/keys`)
  await page.getByRole('button', { name: 'Create a key' }).press('Enter')
  await typeAtOnce(page.getByLabel(/^Name/), 'Late')
  await page.getByLabel('Project').selectOption({ index: 1 })
  let answer: () => void = () => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/v2/keys', async (route) => {
    if (route.request().method() === 'POST') await held
    await route.fallback()
  })
  await page.getByLabel(/^Name/).press('Enter')
  await page.getByRole('button', { name: 'Create it', disabled: true }).waitFor()
  const asked = page.waitForEvent('dialog')
  const leaving = page.getByRole('link', { name: 'Home' }).press('Enter')
  await (await asked).dismiss()
  await leaving
  answer()
  const shown = page.getByRole('region', { name: 'The new key "Late"' })
  await shown.getByRole('button', { name: 'Done' }).press('Enter')
  await page.unroute('**/v2/keys')
})

it('signs out although a secret is shown', async () => {
  const own = await inspector.openPage({ storageState: { cookies: [], origins: [] } })
  await own.goto(`${service.url}/sign-in?next=/manage/keys`)
  await own.getByLabel('API key').fill(service.apiKey)
  await own.keyboard.press('Enter')
  await own.getByRole('button', { name: 'Create a key' }).click()
  await own.getByLabel(/^Name/).fill('Forgotten')
  await own.getByLabel('Project').selectOption({ index: 1 })
  await own.getByLabel(/^Name/).press('Enter')
  await own.getByRole('region', { name: 'The new key "Forgotten"' }).waitFor()
  await own.getByRole('button', { name: 'Sign out' }).click()
  await own.waitForURL(/\/sign-in/)
  expect(await own.content()).not.toMatch(/rl_project_[\w-]{43}/)
  await own.context().close()
})

it('reports why a key was not revoked', async () => {
  await page.goto(`${service.url}/manage/keys`)
  const [own] = (await list<KeyListItem>(service, '/v2/keys')).filter(({ kind }) => kind === 'user')
  const row = page.getByRole('listitem', { name: own?.name ?? '', exact: true })
  await row.getByRole('button', { name: /^Revoke/ }).press('Enter')
  await row.getByLabel(/^Type/).fill(own?.name ?? '')
  await row.getByLabel(/^Type/).press('Enter')
  await row
    .getByRole('alert')
    .getByText(/^Not done: /)
    .waitFor()
  expect(await statusWith(service.apiKey)).toBe(400)
})

it('creates a webhook, sends a test message to it, disables and deletes it', async () => {
  await page.goto(`${service.url}/manage`)
  await page.waitForURL(/\/manage\/keys$/)
  await page.getByRole('link', { name: 'Webhooks' }).press('Enter')
  await page.getByText('There are no webhooks').waitFor()
  await page.getByRole('button', { name: 'Create a webhook' }).press('Enter')
  const form = page.getByRole('form', { name: 'Create a webhook' })
  await form.getByLabel('Name').fill('Operations')
  await form.getByLabel('Address').fill(receiverUrl)
  await form.getByLabel('A test is fixed').press('Space')
  await form.getByLabel(/^Limit of the yield/).fill('97.5')
  await form.getByLabel('Name').press('Enter')
  const shown = page.getByRole('region', { name: /^The secret that signs/ })
  const secret = await shown.locator('code').innerText()
  expect(secret).toMatch(/^whsec_/)
  const [webhook] = await list<Webhook>(service, '/v2/webhooks')
  expect(webhook).toMatchObject({ name: 'Operations', format: 'json', yield_below: 0.975, procedures: null })
  expect(webhook?.events).toHaveLength(6)
  expect(webhook?.events).not.toContain('test.fixed')

  const row = page.getByRole('listitem', { name: 'Operations' })
  expect(await row.innerText()).not.toContain('secret-part')
  await shown.getByRole('button', { name: 'Done' }).press('Enter')
  await row.getByRole('button', { name: /^Send a test/ }).press('Enter')
  await row.getByText('Test message').waitFor()
  await row.getByText('Delivered').waitFor({ timeout: 30_000 })
  expect(received).toHaveLength(1)
  await row.getByRole('button', { name: 'Send again' }).press('Enter')
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(2)
  expect(received[1]?.['webhook-id']).toBe(received[0]?.['webhook-id'])

  await row.getByRole('button', { name: /^Disable/ }).press('Enter')
  await row.getByText('Disabled', { exact: true }).waitFor()
  expect(await row.getByRole('button', { name: /^Send a test/ }).isDisabled()).toBe(true)
  await row.getByRole('button', { name: /^Delete/ }).press('Enter')
  await typeAtOnce(row.getByLabel(/^Type/), 'Operations')
  await page.keyboard.press('Enter')
  await page.getByText('There are no webhooks').waitFor()
  expect(await list(service, '/v2/webhooks')).toEqual([])
})

it('adds a person, changes the name, and creates a key of that person', async () => {
  await page.goto(`${service.url}/manage/people`)
  await page.getByRole('button', { name: 'Add a person' }).press('Enter')
  const form = page.getByRole('form', { name: 'Add a person' })
  await typeAtOnce(form.getByLabel('Name'), 'Ada')
  await form.getByLabel('E-mail').fill('ada@example.com')
  await form.getByLabel('E-mail').press('Enter')
  const row = page.getByRole('listitem', { name: 'Ada' })
  await row.getByRole('button', { name: 'Change Ada' }).press('Enter')
  const changing = page.getByRole('form', { name: 'Change Ada' })
  await typeAtOnce(changing.getByLabel('Name'), ' Lovelace')
  await page.keyboard.press('Enter')
  await page.getByRole('listitem', { name: 'Ada Lovelace' }).getByText('ada@example.com').waitFor()

  const local = page.getByRole('link', { name: 'Changes by Local user' })
  await local.press('Enter')
  await page.getByRole('listitem').filter({ hasText: 'Update user' }).first().waitFor()

  await page.getByRole('link', { name: 'Keys' }).press('Enter')
  await page.getByRole('button', { name: 'Create a key' }).press('Enter')
  await typeAtOnce(page.getByLabel(/^Name/), 'Laptop of Ada')
  await page.getByLabel('For', { exact: true }).selectOption('A person')
  await page.getByLabel('Person').selectOption('Ada Lovelace')
  await page.getByLabel('Role').selectOption({ index: 1 })
  await page.getByLabel(/^Name/).press('Enter')
  const shown = page.getByRole('region', { name: /^The new key "Laptop of Ada"/ })
  const headers = { authorization: `Bearer ${await shown.locator('code').innerText()}` }
  const response = await fetch(`${service.url}/v2/users?current=true`, { headers })
  expect(await response.json()).toMatchObject([{ name: 'Ada Lovelace', role: 'member' }])
  await shown.getByRole('button', { name: 'Done' }).press('Enter')
})

it('reports that a viewer may not see them', async () => {
  const body = { kind: 'user', role: 'viewer', name: 'Viewer' }
  const { key } = (await send(service, 'POST', '/v2/keys', body)) as { key: string }
  const viewers = await inspector.openPage({ storageState: { cookies: [], origins: [] } })
  await viewers.goto(`${service.url}/sign-in?next=/manage/keys`)
  await viewers.getByLabel('API key').fill(key)
  await viewers.keyboard.press('Enter')
  await viewers.getByText('The keys could not be read').waitFor()
  await viewers.getByText(/^Your role is viewer/).waitFor()
  await viewers.getByText(/needs .* role admin|role "?admin/).waitFor()
  await viewers.context().close()
})

it('lists the sessions of the user, and ends one', async () => {
  const other = await inspector.openPage({ storageState: { cookies: [], origins: [] } })
  await other.goto(`${service.url}/sign-in?next=/manage/sessions`)
  await other.getByLabel('API key').fill(service.apiKey)
  await other.keyboard.press('Enter')
  const row = page.getByRole('listitem', { name: 'Chrome on Linux' })
  await other.getByRole('listitem', { name: 'Chrome on Linux, this session' }).waitFor()
  await page.goto(`${service.url}/manage/sessions`)
  await row.first().getByRole('button', { name: 'End' }).press('Enter')
  await save(page.getByRole('button', { name: 'End it' }), 'DELETE')
  await other.reload()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByRole('listitem', { name: 'Chrome on Linux, this session' }).waitFor()
  await other.context().close()
})

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each([
    ['keys', 'Create a key', /^Revoke/],
    ['people', 'Add a person', /^Change/],
    ['webhooks', 'Create a webhook', /^Delete/],
    ['sessions', undefined, /^End/],
  ] as const)('managing %s moves nothing, fits, and axe finds nothing wrong', async (section, add, end) => {
    if (section === 'webhooks') await createWebhook()
    const open = async (own: Page) => {
      await own.goto(`${service.url}/manage/${section}`)
      if (add !== undefined) await own.getByRole('button', { name: add }).click()
      await own.getByRole('button', { name: end }).first().click()
      if (section === 'webhooks')
        await own
          .getByText(/^Messages of the last/)
          .first()
          .click()
      await own.waitForLoadState('networkidle')
    }
    expect(await inspector.inspect(`manage ${section}`, width, { open })).toEqual([])
  })
})

async function createWebhook(): Promise<void> {
  const { id } = (await send(service, 'POST', '/v2/webhooks', {
    name: 'A channel with a long name, so that it needs more than one line on a phone',
    url: receiverUrl,
    format: 'slack',
    events: ['test.newly_failing', 'test.failing_in_a_row', 'line.out_of_control'],
  })) as Webhook
  await send(service, 'POST', `/v2/webhooks/${id}/test`, {})
}
