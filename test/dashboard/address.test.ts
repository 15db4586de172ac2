// @module-tag chromium
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { createRecordingProxy, type RecordingProxy } from '../support/recording-proxy'
import { startService, type Service } from '../support/service'
import { after, describeRichRun, makeRun } from './made-runs'

/** What the address of a page keeps, and what a page asks the service for while nobody does anything. */

let service: Service
let proxy: RecordingProxy
let browser: Browser
let context: BrowserContext
let runId: string

beforeAll(async () => {
  service = await startService()
  proxy = await createRecordingProxy()
  await proxy.start(service.url)
  runId = await makeRun(service, describeRichRun())
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.goto(service.signInUrl.replace(service.url, proxy.url))
  await page.waitForURL(({ pathname }) => pathname === '/')
  await page.close()
})

afterAll(async () => {
  await browser?.close()
  await proxy?.stop()
  await service?.stop()
})

const step = (page: Page, index: number) => page.locator(`#row-${index}`)

describe('the filter of a run', () => {
  const address = (search = '') => `${proxy.url}/runs/${runId}${search}`

  async function open(search = ''): Promise<Page> {
    const page = await context.newPage()
    await page.goto(address(search))
    await page.getByRole('heading', { name: 'Steps' }).waitFor()
    return page
  }

  it('is in the address, and a link with it shows the same', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Passed 19' }).click()
    await page.waitForURL(address('?show=passed'))
    await page.getByLabel('Find in names and errors').pressSequentially('by phone')
    await page.waitForURL(address('?show=passed&q=by+phone'))
    const other = await open('?show=passed&q=by+phone')
    await step(other, 11).waitFor()
    expect(await other.getByRole('button', { name: 'Passed 19', pressed: true }).count()).toBe(1)
    expect(await other.getByLabel('Find in names and errors').inputValue()).toBe('by phone')
    const shown = (all: Page) => all.locator('[id^=row-]').evaluateAll((rows) => rows.map(({ id }) => id))
    expect(await shown(other)).toEqual(await shown(page))
    await page.close()
    await other.close()
  })

  it('is taken back step by step by Back, what was typed all at once', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Failed 4' }).click()
    await page.waitForURL(address('?show=failed'))
    await page.getByRole('button', { name: 'Passed 19' }).click()
    await page.waitForURL(address('?show=passed'))
    await page.getByLabel('Find in names and errors').pressSequentially('as a guest')
    await page.waitForURL(/q=as\+a\+guest/)
    await page.goBack()
    await page.waitForURL(address('?show=failed'))
    await page.locator('#failure-0').waitFor()
    expect(await page.getByLabel('Find in names and errors').inputValue()).toBe('')
    await page.goBack()
    await page.waitForURL(address())
    await step(page, 20).waitFor()
    await page.goForward()
    await page.waitForURL(address('?show=failed'))
    await step(page, 20).waitFor({ state: 'detached' })
    await page.close()
  })

  it('leaves the step that the address names, and the place on the page, as they are', async () => {
    const page = await open('#step-25')
    await page.locator('#row-25:focus').waitFor()
    const before = await page.evaluate<number>('window.scrollY')
    expect(before).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Passed 19' }).click()
    await page.waitForURL(address('?show=passed#step-25'))
    expect(await page.evaluate<number>('window.scrollY')).toBeGreaterThan(0)
    await page.close()
  })

  it('that makes no sense shows everything', async () => {
    const page = await open('?show=broken&q=')
    await page.locator('#failure-0').waitFor()
    await step(page, 20).waitFor()
    await page.close()
  })
})

describe.each([
  ['the list', '/runs'],
  ['the runs of a build', '/builds/build-1742?tab=runs'],
])('%s in a tab that nobody uses', (_, where) => {
  beforeEach(() => void proxy.sent.splice(0))

  const lists = () => proxy.sent.flatMap((sent) => /^GET (\/v2\/runs\?\S*)/.exec(sent)?.[1] ?? [])
  const isWhole = (query: string) => !/[?&]limit=1(&|$)/.test(query)
  const countWhole = () => lists().filter(isWhole).length
  const countSmall = () => lists().length - countWhole()

  it('asks for the newest run alone, and for the whole list when there is another', async () => {
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(proxy.url + where)
    await page.getByRole('table', { name: 'Runs' }).waitFor()
    await expect.poll(countSmall).toBeGreaterThan(0)
    // A group asks for the failures of its runs once it has read them.
    await page.waitForLoadState('networkidle')
    const whole = countWhole()
    const letTimePass = () => page.clock.runFor(10_000)
    for (let question = 1; question <= 5; question += 1) {
      const before = countSmall()
      await expect.poll(() => letTimePass().then(countSmall)).toBeGreaterThan(before)
    }
    expect(countWhole()).toBe(whole)
    const file = `src/new-${where.length}.test.ts`
    const phases = [{ name: 'a', outcome: 'PASS', started_at: after(0), ended_at: after(1) }]
    await makeRun(service, { outcome: 'PASS', phases, metadata: { file, group: 'build-1742' } })
    const row = page.getByRole('row').filter({ hasText: file })
    await expect.poll(() => letTimePass().then(() => row.count())).toBe(1)
    expect(countWhole()).toBeGreaterThan(whole)
    await page.close()
  })

  it('asks for a list that it cannot have once for each newest run that it asked for', async () => {
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(proxy.url + where)
    await page.getByRole('table', { name: 'Runs' }).waitFor()
    const letTimePass = () => page.clock.runFor(500)
    await expect.poll(() => letTimePass().then(countSmall)).toBeGreaterThan(0)
    let refused = 0
    await page.route(
      ({ pathname, search }) => pathname === '/v2/runs' && isWhole(search),
      (route) => {
        refused += 1
        return route.fulfill({ status: 400, json: { error: { code: 'BAD_REQUEST', message: 'No.' } } })
      },
    )
    await makeRun(service, {
      outcome: 'PASS',
      metadata: { file: 'src/refused.test.ts', group: 'build-1742' },
    })
    await expect.poll(() => letTimePass().then(() => refused)).toBeGreaterThan(0)
    const [before, refusedBefore] = [countSmall(), refused]
    const asked = () => letTimePass().then(() => refused - refusedBefore)
    await expect.poll(asked, { timeout: 20_000 }).toBeGreaterThan(1)
    expect(refused - refusedBefore).toBeLessThanOrEqual(countSmall() - before + 1)
    await page.close()
  })
})
