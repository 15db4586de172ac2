// @module-tag chromium
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { after, describeRichAttachments, describeRichRun, makeRun } from './made-runs'
import { openSignedIn } from './open-page'

/** What a failed test printed, shown with the failure out of the log of its suite. */

let service: Service
let browser: Browser
let context: BrowserContext
let runId: string

beforeAll(async () => {
  service = await startService()
  runId = await makeRun(service, describeRichRun(), describeRichAttachments())
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await openSignedIn(context, service)
  await page.close()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

/** Opens a run and counts how often its log is asked for; `breakLog` makes that fail. */
async function openRun(id: string, breakLog = false): Promise<{ page: Page; countReads: () => number }> {
  const page = await context.newPage()
  const { attachments } = await service.readRun(id)
  const log = attachments.find(({ name }) => name.endsWith('.log'))?.download_url ?? ''
  const path = new URL(log, service.url).pathname
  let reads = 0
  await page.route(
    (url) => url.pathname === path,
    (route) => {
      reads += 1
      return breakLog ? route.fulfill({ status: 404 }) : route.continue()
    },
  )
  await page.goto(`${service.url}/runs/${id}`)
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  return { page, countReads: () => reads }
}

function failure(page: Page, index: number): Locator {
  return page.locator(`#failure-${index}`)
}

/** Tells whether an element can be seen in the box that it scrolls in. */
function isInBox(locator: Locator): Promise<boolean> {
  return locator.evaluate((element: unknown) => {
    const line = element as Element
    const box = line.closest('[role=group]')?.getBoundingClientRect()
    const { top, bottom } = line.getBoundingClientRect()
    return box !== undefined && top >= box.top && bottom <= box.bottom
  })
}

interface Element {
  closest(selector: string): Element | null
  getBoundingClientRect(): { top: number; bottom: number }
}

function readPrinted(card: Locator): Promise<string> {
  return card.getByLabel('What it printed', { exact: true }).innerText()
}

describe('the output of a failed test', () => {
  it('stands below its error by streams, in the terminal’s colours, without a click where it is short', async () => {
    const { page } = await openRun(runId)
    const card = failure(page, 7)
    expect((await readPrinted(card)).split(/\s*\n\s*/)).toEqual([
      'stdout',
      'the meter needs 3 s to settle, see https://wiki.example/meters',
      'stderr',
      'careful: out of range',
    ])
    await page.close()
  })

  it('is each attempt’s own, and where it is long its end, when asked for', async () => {
    const { page } = await openRun(runId)
    const card = failure(page, 1)
    await card.getByText('62 lines').waitFor()
    expect(await card.getByText('gave up').count()).toBe(0)
    await card.getByText('62 lines').click()
    const printed = await readPrinted(card)
    expect(printed.match(/asked/g)).toHaveLength(38)
    expect(printed).toContain('asked 60 times')
    expect(await isInBox(card.getByText('gave up'))).toBe(true)
    expect(printed).toContain('✗ failed  panel › looks as it did (900 ms)')
    await card.getByText('The last 40 lines').waitFor()
    await card.getByRole('tab', { name: /Attempt 1/ }).click()
    expect(await readPrinted(card)).toContain('the panel is cold')
    await page.close()
  })

  it('leads to its place in the log', async () => {
    const { page } = await openRun(runId)
    await failure(page, 1).getByText('62 lines').click()
    await failure(page, 1).getByRole('link', { name: 'Show all in the log' }).click()
    const line = page.locator('[data-line="10"][aria-current]')
    await line.waitFor()
    expect(await line.innerText()).toContain('stdout 2026-11-20T09:30:05.900Z')
    await page.close()
  })

  it('is not there where nothing was printed', async () => {
    const { page } = await openRun(runId)
    await failure(page, 7).getByText('Printed').waitFor()
    for (const index of [0, 6, 8])
      expect([
        index,
        await failure(page, index)
          .getByText(/in the log|Printed/)
          .count(),
      ]).toEqual([index, 0])
    await page.close()
  })

  it('is shown of the attempt of a flaky test that failed', async () => {
    const log = [
      'suite      a.spec.ts',
      '',
      '✓ passed  with a code (40 ms, 2 attempts, flaky)',
      '    attempt 1: failed (20 ms)',
      '    stdout',
      '      | the clock is late',
      '    attempt 2: passed (20 ms)',
    ].join('\n')
    const attempt = { started_at: after(0), duration: 'PT0.02S' }
    const phase = {
      name: 'with a code',
      outcome: 'PASS',
      started_at: after(0),
      ended_at: after(40),
      retry_count: 1,
      attempts: [
        { ...attempt, outcome: 'FAIL', errors: [{ message: 'expired' }] },
        { ...attempt, outcome: 'PASS' },
      ],
    }
    const id = await makeRun(service, { outcome: 'PASS', phases: [phase] }, [
      { fileName: 'a.spec.ts.log', content: log },
    ])
    const { page, countReads } = await openRun(id)
    expect(countReads()).toBe(0)
    await page.getByRole('button', { name: 'with a code' }).click()
    expect(await readPrinted(page.locator('#row-0'))).toContain('the clock is late')
    await page.close()
  })
})

describe('the log that it is read from', () => {
  it('is read once however many failures there are', async () => {
    const { page, countReads } = await openRun(runId)
    for (const index of [0, 1, 6, 7, 8]) await failure(page, index).waitFor()
    await failure(page, 7).getByText('Printed').waitFor()
    await page.waitForTimeout(500)
    expect(countReads()).toBe(1)
    await page.close()
  })

  it('is linked if it cannot be read, and the failure is still shown', async () => {
    const { page } = await openRun(runId, true)
    await failure(page, 0).getByText('// deep equality').waitFor()
    const link = failure(page, 7).getByRole('link', { name: 'What it printed may be in the log' })
    expect(await link.getAttribute('href')).toBe('#suite-log')
    await page.close()
  })
})
