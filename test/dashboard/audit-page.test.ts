// @module-tag chromium
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { send } from './made-runs'
import { PageInspector, WIDTHS } from './page-inspector'

let service: Service
let inspector: PageInspector
let page: Page

beforeAll(async () => {
  service = await startService()
  const { id } = (await send(service, 'POST', '/v2/stations', { name: 'Bench 1' })) as { id: string }
  await send(service, 'PATCH', `/v2/stations/${id}`, { name: 'Bench 2' })
  await send(service, 'PATCH', '/v2/settings', { 'organization.slug': 'acme', 'retention.days': 90 })
  inspector = await PageInspector.start(service)
  page = await inspector.openPage()
}, 120_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

const items = () => page.getByRole('region', { name: 'Audit log' }).getByRole('listitem')

it('shows who changed what, from where, and the values before and after', async () => {
  await page.goto(`${service.url}/manage/keys`)
  await page.getByRole('link', { name: 'Audit log' }).press('Enter')
  const renamed = items().filter({ hasText: 'Update station' })
  await renamed.waitFor()
  const text = await renamed.innerText()
  expect(text).toContain('Local user')
  expect(text).toContain('Local credentials file')
  expect(text).toContain('127.0.0.1')
  await renamed.locator('summary').press('Enter')
  expect(await renamed.locator('del').innerText()).toMatch(/^before:\s*Bench 1$/)
  expect(await renamed.locator('ins').innerText()).toMatch(/^after:\s*Bench 2$/)
})

it('filters by what was changed and by a search, in the address', async () => {
  await page.goto(`${service.url}/manage/audit`)
  await page.getByLabel('What was changed').selectOption('Settings')
  await items().filter({ hasText: 'Update settings' }).waitFor()
  await page.waitForURL(/kind=settings/)
  expect(await items().count()).toBe(1)
  await page.getByLabel('What was changed').selectOption('Everything')
  const search = page.getByRole('searchbox', { name: 'Search the audit log' })
  await search.fill('bench 2')
  await search.press('Enter')
  await page.waitForURL(/q=bench/)
  await page.getByText('No entry matches').waitFor()
  await search.fill('bench 1')
  await search.press('Enter')
  await items().first().waitFor()
  expect(await items().count()).toBe(2)
})

it('shows all entries about one thing', async () => {
  await page.goto(`${service.url}/manage/audit?kind=user`)
  await page.getByText('No entry matches').waitFor()
  await page.goto(`${service.url}/manage/audit?q=Bench`)
  await page.getByRole('link', { name: 'Bench 1' }).first().press('Enter')
  await page.getByRole('button', { name: 'Show all entries' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Show all entries' }).press('Enter')
  await items().filter({ hasText: 'Update settings' }).waitFor()
})

describe.each(WIDTHS)('at %d pixels', (width) => {
  it('moves nothing, fits, and axe finds nothing wrong', async () => {
    const open = async (own: Page) => {
      await own.goto(`${service.url}/manage/audit`)
      await own.locator('summary').first().click()
      await own.waitForLoadState('networkidle')
    }
    expect(await inspector.inspect('manage audit', width, { open })).toEqual([])
  })
})
