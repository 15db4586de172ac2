// @module-tag chromium
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { describeRichRun, makeRun } from './made-runs'
import { openSignedIn } from './open-page'

/** What a test says of itself and of how it was run: annotations, workers, and the code around its steps. */

let service: Service
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  service = await startService()
  const runId = await makeRun(service, describeRichRun())
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  page = await openSignedIn(context, service)
  await page.goto(`${service.url}/runs/${runId}`)
  await page.locator('#failure-8').waitFor()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

describe('annotations of a test', () => {
  it('stand under its head by their types, which are no tags beside them', async () => {
    const card = page.locator('#failure-6')
    const annotations = card.getByLabel('Annotations')
    expect(await annotations.locator('dt').allInnerTexts()).toEqual(['issue', 'note'])
    expect(await card.getByLabel('Tag', { exact: true }).count()).toBe(1)
    await card.getByLabel('Owner').waitFor()
    const row = page.locator('#row-6')
    await row.getByText('issue', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'looks as it did' }).click()
    await row.getByLabel('Annotations').getByText('issues/87').waitFor()
  })

  it('are links where they are addresses of the web, and text otherwise', async () => {
    const annotations = page.locator('#failure-6').getByLabel('Annotations')
    const links = annotations.getByRole('link')
    expect(await links.count()).toBe(1)
    expect(await links.getAttribute('href')).toBe('https://github.com/acme/shop/issues/87')
    expect(await links.getAttribute('rel')).toContain('noreferrer')
    await annotations
      .getByText('javascript:alert(1) is what the vendor’s page says of <b>prices</b>')
      .waitFor()
  })
})

describe('the worker of a test', () => {
  it('is shown for each attempt, with what else it ran in order', async () => {
    const card = page.locator('#failure-1')
    await card.getByText('Worker 2').click()
    const list = card.getByLabel('What worker 2 ran')
    await list.getByRole('listitem').nth(9).waitFor()
    const tests = await list.getByRole('listitem').allInnerTexts()
    expect(tests).toHaveLength(10)
    expect(tests[0]?.replace(/\s+/g, ' ')).toBe('Failed panel › shows the state attempt 2 (this one) 6.00 s')
    expect(tests[1]).toContain('login › by phone 2')
    expect(await list.locator('[aria-current]').count()).toBe(1)
    await card.getByRole('tab', { name: /Attempt 1/ }).click()
    await card.getByText('Worker 1').waitFor()
    expect(await card.getByText('Worker 2').count()).toBe(0)
  })

  it('is shown for a test with one attempt', async () => {
    const card = page.locator('#failure-0')
    await card.getByText('Worker 0 ran 1 test').waitFor()
  })

  it('leads to the other tests that it ran', async () => {
    const card = page.locator('#failure-1')
    await card.getByRole('tab', { name: /Attempt 2/ }).click()
    await card.getByText('Worker 2').click()
    await card.getByRole('link', { name: 'login › by phone 2' }).click()
    await page.locator('#row-11:focus').getByText('Started').waitFor()
  })
})

it('shows the code around a step where it is opened', async () => {
  const row = page.locator('#row-3')
  expect(await row.getByLabel('Code around the call').count()).toBe(0)
  await row.getByRole('button', { name: 'open the panel' }).click()
  const code = row.getByLabel('Code around the call')
  expect((await code.innerText()).replace(/\s+/g, ' ')).toContain('▶ 11 this line: await page.goto("/panel")')
})
