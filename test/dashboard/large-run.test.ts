// @module-tag chromium
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { after, makeRun } from './made-runs'
import { openSignedIn } from './open-page'

const STEPS = 5_000
const LOG_LINES = 100_000
const FIRST_FAILURE = 40
const FAILS_EACH = 80

let service: Service
let browser: Browser
let page: Page
let runId: string

beforeAll(async () => {
  service = await startService()
  const phases = Array.from({ length: STEPS }, (_, index) => ({
    name: `part ${index % 50} › group ${index % 7} › does thing number ${index}`,
    outcome: index % FAILS_EACH === FIRST_FAILURE ? 'FAIL' : 'PASS',
    started_at: after(index * 10),
    ended_at: after(index * 10 + 9),
    kind: 'test',
    location: { file: `src/part-${index % 50}.test.ts`, line: index },
    ...(index % FAILS_EACH === FIRST_FAILURE ? { errors: [describeError(index)] } : {}),
  }))
  runId = await makeRun(service, { phases })
  browser = await launchChromium()
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  page = await openSignedIn(context, service)
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

function describeError(index: number) {
  return {
    message: `expected ${index} to be ${index + 1}`,
    expected: String(index + 1),
    actual: String(index),
    snippet: `> ${index} | expect(thing).toBe(${index + 1})`,
    location: { file: 'src/part.test.ts', line: index },
  }
}

async function openRun(): Promise<void> {
  await page.goto(`${service.url}/runs/${runId}`)
  await page.locator(`#failure-${FIRST_FAILURE}`).waitFor()
}

const countRows = () => page.locator('[id^=row-]').count()

it('shows why a run of 5,000 steps failed before all its rows are there, and answers keys', async () => {
  await openRun()
  expect(await countRows()).toBeLessThan(STEPS)
  for (const index of [FIRST_FAILURE, FIRST_FAILURE + FAILS_EACH]) {
    await page.keyboard.press('j')
    await page.locator(`#failure-${index}:focus`).waitFor()
  }
})

it('goes to a failure and a step far down that were not rendered yet', async () => {
  await page.goto('about:blank')
  await page.goto(`${service.url}/runs/${runId}#step-4999`)
  await page.locator('#row-4999:focus').waitFor()
  await page.keyboard.press('k')
  const last = FIRST_FAILURE + FAILS_EACH * Math.floor((STEPS - FIRST_FAILURE - 1) / FAILS_EACH)
  await page.locator(`#failure-${last}:focus`).waitFor()
})

it('stays where it is while rows above appear', async () => {
  await page.goto('about:blank')
  await page.goto(`${service.url}/runs/${runId}#step-2500`)
  const row = page.locator('#row-2500:focus')
  await row.waitFor()
  await expect.poll(countRows, { timeout: 120_000 }).toBe(STEPS)
  const { y } = (await row.boundingBox()) ?? { y: Infinity }
  expect(y).toBeGreaterThanOrEqual(0)
  expect(y).toBeLessThan(900)
})

it('finds a step by its words', async () => {
  await openRun()
  await page.keyboard.press('/')
  await page.keyboard.type('number 4444')
  await page.locator('#row-4444').waitFor()
  await page.locator('#row-0').waitFor({ state: 'detached' })
})

it('has rendered every step after a while, for the browser’s own search', async () => {
  await openRun()
  await expect.poll(countRows, { timeout: 120_000 }).toBe(STEPS)
})

it('renders only what is in sight of a log of 100,000 lines, and finds words in it', async () => {
  const log = Array.from(
    { length: LOG_LINES },
    (_, index) => `\u001b[3${index % 8}mline\u001b[39m number ${index + 1}, ${'x'.repeat(index % 60)}`,
  )
  const phases = [{ name: 'writes', outcome: 'FAIL', started_at: after(0), ended_at: after(5) }]
  const id = await makeRun(service, { phases }, [{ fileName: 'whole.log', content: log.join('\n') }])
  await page.goto(`${service.url}/runs/${id}`)
  const more = page.locator('button', { hasText: 'Show the rest' })
  await more.click()
  await more.waitFor({ state: 'detached' })
  const box = page.locator('[aria-label="Text of whole.log"]')
  const lineCount = 'document.querySelectorAll("[data-line]").length'
  const search = page.locator('[aria-label="Find in whole.log"]')
  await search.fill(`number ${LOG_LINES},`)
  await page.locator('span[role=status]').filter({ hasText: /^1$/ }).waitFor()
  await search.press('Enter')
  await box.locator(`[data-line="${LOG_LINES}"]`).waitFor()
  expect(await page.evaluate(lineCount)).toBeLessThan(300)
})
