// @module-tag chromium
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { authorOf, BROKEN_AT, BUILDS, FIXED_AT, INFRASTRUCTURE_AT, makeHistory } from './made-history'
import { PageInspector, WIDTHS } from './page-inspector'

let service: Service
let inspector: PageInspector
let page: Page

beforeAll(async () => {
  service = await startService()
  await makeHistory(service)
  inspector = await PageInspector.start(service)
  page = await inspector.openPage()
}, 120_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

const groupOf = (build: number) => `build-${1700 + build}`
const readFirst = async <Item>(address: string) => {
  const { data } = (await (await service.get(address)).json()) as { data: Item[] }
  return data[0] as Item
}
const readTest = (name: string) => readFirst<{ id: string }>(`/v2/tests?days=365&search_query=${name}`)

describe('questions, each answered within two clicks from Home', () => {
  beforeEach(async () => {
    await page.goto(service.url)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('which tests are flaky', async () => {
    await page.getByRole('link', { name: /^\d+ flaky$/ }).click()
    await page
      .getByRole('table', { name: 'Tests' })
      .getByRole('link', { name: 'cart › shows the total' })
      .waitFor()
    await page.getByRole('link', { name: 'cart › shows the total' }).click()
    await page.getByRole('region', { name: /^Evidence that it is flaky/ }).waitFor()
  })

  it('tests that need attention, on the default branch', async () => {
    const needs = page.getByRole('region', { name: 'Needs you' })
    await needs.getByRole('link', { name: 'cart › shows the total' }).click()
    await page.waitForURL(/\/tests\/.+\?branch=main/)
    await page.getByRole('heading', { name: 'cart › shows the total' }).waitFor()
  })

  it('tests that got slower, by how much and since which build', async () => {
    await page.getByRole('link', { name: 'slower', exact: true }).click()
    const row = page.getByRole('table', { name: 'Tests' }).getByRole('row').nth(1)
    await row.waitFor()
    expect(await row.innerText()).toMatch(/search › finds words[\s\S]*\+\d+ % slower/)
    await row.getByRole('link', { name: /finds words/ }).click()
    const changes = page.getByRole('region', { name: 'Changes of its duration' })
    expect(await changes.innerText()).toMatch(/\+1\d\d|\+200 % slower/)
    await page
      .getByRole('img', { name: /^Durations/ })
      .locator('canvas')
      .waitFor()
  })

  it('the most frequent failures on main', async () => {
    await page.getByRole('link', { name: 'fail most' }).click()
    await page.waitForURL(/branch=main/)
    const row = page.getByRole('table', { name: 'Tests' }).getByRole('row').nth(1)
    await expect.poll(() => row.innerText()).toMatch(/pays by card[\s\S]*%\s+[\d.]+ to [\d.]+ %, n = \d+/)
  })

  it('when a test broke, who broke it and who fixed it', async () => {
    const { id } = await readTest('pays by card')
    await page.goto(`${service.url}/tests/${id}?branch=main`)
    const story = page.getByText(/^Last green/)
    await story.waitFor()
    const text = (await story.innerText()).replaceAll(/\s+/g, ' ')
    expect(text).toContain(`Last green ${groupOf(BROKEN_AT - 1)}`)
    expect(text).toMatch(new RegExp(`broken at ${groupOf(BROKEN_AT)} \\(\\S+ by ${authorOf(BROKEN_AT)}`))
    expect(text).toMatch(new RegExp(`fixed by ${groupOf(FIXED_AT)} \\(\\S+ by ${authorOf(FIXED_AT)}`))
  })

  it('did the last build pass on all shards', async () => {
    await page.goto(`${service.url}/builds`)
    const row = page.getByRole('row').filter({ hasText: 'build-night' })
    expect(await row.innerText()).toMatch(/Incomplete[\s\S]*shard 2 of 2 has not reported/)
    await row.getByRole('link', { name: 'Round to cents' }).click()
    await page.getByText('1 of 2 shards reported').waitFor()
    await page.getByRole('region', { name: 'What is missing' }).waitFor()
  })

  it('tests that a branch breaks, compared with main', async () => {
    await page.goto(`${service.url}/compare?base_branch=main&head_branch=cents`)
    const failing = page.getByRole('region', { name: 'Newly failing (1)' })
    await failing.getByRole('link', { name: 'cart › shows the total' }).waitFor()
    await page
      .getByRole('region', { name: 'Errors only here (1)' })
      .getByText('expected 12 to be 12.5')
      .waitFor()
  })

  it('why a build failed: one cause, however many tests it hit', async () => {
    await page.goto(`${service.url}/runs?group=${groupOf(INFRASTRUCTURE_AT)}`)
    const causes = page.getByRole('region', { name: 'Why it failed: 1 cause' })
    expect(await causes.innerText()).toContain('15 tests')
    await page.getByText('Infrastructure build.').waitFor()
    expect(await page.title()).toBe(`Failed: Change number ${INFRASTRUCTURE_AT} · Runledger`)
    await causes.getByRole('link', { name: /ECONNREFUSED/ }).click()
    await page.getByRole('heading', { name: /ECONNREFUSED/ }).waitFor()
  })
})

describe('the keyboard', () => {
  it('searches everything, and opens what was found', async () => {
    await page.goto(`${service.url}/builds`)
    await page.getByRole('table', { name: 'Builds' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search everything' }).fill('pays by')
    const found = page.getByRole('option', { name: /pays by card/ })
    await found.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'checkout › pays by card' }).waitFor()
  })

  it('goes through the rows of a list, opens one, and says which keys there are', async () => {
    await page.goto(`${service.url}/builds`)
    await page.getByRole('table', { name: 'Builds' }).waitFor()
    for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/builds\/build-/)
  })
})

it('keeps the chosen project and branch from page to page', async () => {
  await page.goto(`${service.url}/builds`)
  await page.getByLabel('Branch', { exact: true }).selectOption('cents')
  await page.waitForURL(/branch=cents/)
  await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Tests' }).click()
  await page.waitForURL(/\/tests\?.*branch=cents/)
  await page.getByLabel('Branch', { exact: true }).selectOption('')
  await page.waitForURL(({ search }) => !search.includes('branch'))
})

it('says that a test is another one again, and takes that back', async () => {
  const [{ id }, other] = await Promise.all([readTest('pays by card'), readTest('works 12')])
  await page.goto(`${service.url}/tests/${id}`)
  const names = page.getByRole('region', { name: 'Earlier names' })
  await names.getByText('It had another name').click()
  await names.getByLabel('Name or file of the other test').fill('works 12')
  await names.getByRole('button', { name: 'This one' }).click()
  await names.getByRole('button', { name: /^Undo.*works 12/ }).click()
  await names.getByText('None.').waitFor()
  expect((await service.get(`/v2/tests/${other.id}`)).status).toBe(200)
})

const PAGES: Record<string, () => Promise<string> | string> = {
  Home: () => '/',
  Builds: () => '/builds',
  'a build': () => `/builds/${groupOf(BROKEN_AT)}`,
  'an infrastructure build': () => `/builds/${groupOf(INFRASTRUCTURE_AT)}`,
  'the tests of a build': () => `/builds/${groupOf(BUILDS - 1)}?tab=tests`,
  Tests: () => '/tests',
  'a test': async () => `/tests/${(await readTest('pays by card')).id}`,
  Compare: () => '/compare?base_branch=main&head_branch=cents',
  Errors: () => '/errors',
  'an error': async () => {
    const { fingerprint } = await readFirst<{ fingerprint: string }>('/v2/errors?limit=1')
    return `/errors/${fingerprint}`
  },
  Runs: () => '/runs',
}

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each(Object.entries(PAGES))(
    '%s moves nothing, fits, and axe finds nothing wrong',
    async (name, findPath) => {
      const open = async (own: Page) => {
        await own.goto(service.url + (await findPath()))
        await own.getByRole('heading', { level: 1 }).waitFor()
        await own
          .getByText('What these numbers mean')
          .or(own.getByRole('table', { name: 'Runs' }))
          .first()
          .waitFor()
        await own.waitForLoadState('networkidle')
      }
      expect(await inspector.inspect(name, width, { open })).toEqual([])
    },
  )
})
