// @module-tag chromium
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { after, describeRichAttachments, describeRichRun, makeRun } from './made-runs'
import { openSignedIn } from './open-page'

let service: Service
let browser: Browser
let context: BrowserContext
let runId: string

beforeAll(async () => {
  service = await startService()
  runId = await makeRun(service, describeRichRun(), describeRichAttachments())
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await openSignedIn(context, service)
  await page.close()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function openRun(id = runId, hash = ''): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${service.url}/runs/${id}${hash}`)
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  return page
}

/** A failure by its place in the run. */
function failure(page: Page, index: number): Locator {
  return page.locator(`#failure-${index}`)
}

async function isInWindow(locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox()
  const height = locator.page().viewportSize()?.height ?? 0
  return box !== null && box.y >= 0 && box.y + box.height <= height
}

/** Presses a button that copies, and reads what is on the clipboard then. */
async function copyBy(button: Locator): Promise<string> {
  await button.click()
  await button.page().getByText('Copied').first().waitFor()
  return button.page().evaluate<string>('navigator.clipboard.readText()')
}

describe('the page of a failed run', () => {
  it('shows message, difference and the failing line in the first window, without a click', async () => {
    const page = await openRun()
    for (const text of ['// deep equality', '"price": 19.99,', 'expect(bill).toEqual(expectedBill)']) {
      const shown = page.getByText(text).first()
      await shown.waitFor()
      expect([text, await isInWindow(shown)]).toEqual([text, true])
    }
    const code = failure(page, 0).getByLabel('Code around the failing line')
    expect((await code.innerText()).replace(/\s+/g, ' ')).toContain('▶ 42 failing line: expect(bill).toEqual')
    await page.close()
  })

  it('distinguishes expected from actual by signs and words, not by colours alone', async () => {
    const page = await openRun()
    const readDiff = (index: number) => failure(page, index).getByLabel('Difference').textContent()
    const lines = (await readDiff(0)) ?? ''
    const words = lines.replace(/\s+/g, ' ')
    expect(words).toContain('−expected: "price": 1999,+actual: "price": 19.99,')
    expect(words).not.toContain('- Expected')
    expect(await readDiff(8)).toBe(' a−expected: b+actual: c')
    await page.close()
  })

  it('leads to the line at the commit, in the folder that the project has in the repository', async () => {
    const page = await openRun()
    const link = failure(page, 0).getByRole('link', { name: 'src/cart/cart.test.ts:42:19' }).first()
    const address =
      'https://github.com/acme/shop/blob/3f2a9c1e0b7d4f6a8c2e1d0f9b8a7c6d5e4f3a2b/packages/shop/src/cart/cart.test.ts#L42'
    expect(await link.getAttribute('href')).toBe(address)
    expect(await link.getAttribute('rel')).toContain('noopener')
    await page.close()
  })

  it('has what the test printed and its pictures beside the error', async () => {
    const page = await openRun()
    await failure(page, 0).getByText('the heart beat stopped').waitFor()
    const card = failure(page, 6)
    await card.getByRole('button', { name: 'Diff', pressed: true }).waitFor()
    await card.getByRole('img', { name: 'panel-diff.png' }).waitFor({ state: 'attached' })
    await card.getByRole('button', { name: 'Actual', exact: true }).click()
    const picture = card.getByRole('img', { name: 'panel-actual.png' })
    await picture.scrollIntoViewIfNeeded()
    expect(await picture.evaluate(readDecodedWidth)).toBe(320)
    await card.getByRole('button', { name: 'Side by side' }).click()
    await expect.poll(() => card.getByRole('img', { name: /^panel-/ }).count()).toBe(3)
    await page.close()
  })

  it('has every failure below each other, hooks by their kind, steps by the way to where it failed', async () => {
    const page = await openRun()
    const names = () => page.locator('[id^=failure-]').evaluateAll((cards) => cards.map(({ id }) => id))
    await expect.poll(names).toEqual([0, 1, 6, 7, 8].map((index) => `failure-${index}`))
    await failure(page, 8).getByText('Hook', { exact: true }).waitFor()
    await failure(page, 1).getByText('wait until it is ready › Expect "toHaveText"').waitFor()
    await failure(page, 7).getByText('above the limit').waitFor()
    await page.close()
  })

  it('shows attempts as tabs with their own errors, pictures and times', async () => {
    const page = await openRun()
    const card = failure(page, 1)
    const tabs = card.getByRole('tab')
    expect(await tabs.evaluateAll((all) => all.map(({ textContent }) => textContent))).toEqual([
      'Attempt 1Error5.10 s',
      'Attempt 2Failed6.00 s',
    ])
    expect(await card.getByText('while closing the page').isVisible()).toBe(true)
    expect(await card.getByText('ERR_CONNECTION_REFUSED').count()).toBe(0)
    await tabs.first().focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    await tabs.first().click()
    await card.getByText('ERR_CONNECTION_REFUSED').waitFor()
    expect(await card.getByText('while closing the page').count()).toBe(0)
    expect(await card.getByRole('img', { name: 'screenshot.png' }).count()).toBe(1)
    await page.close()
  })

  it('has in the tab of each attempt what that one did, open where it failed, with its files', async () => {
    const page = await openRun()
    const card = failure(page, 1)
    const steps = card.getByRole('group', { name: 'Steps of this attempt' })
    await steps.getByRole('button', { name: 'Failed wait until it is ready' }).waitFor()
    await steps.getByRole('button', { name: 'Failed Expect "toHaveText"' }).waitFor()
    expect(await steps.getByText('Navigate to').count()).toBe(0)
    await card.getByRole('tab').first().click()
    await steps.getByRole('button', { name: 'Failed Navigate to "/panel"' }).waitFor()
    expect(await steps.getByText('wait until it is ready').count()).toBe(0)
    const code = steps.getByLabel('Code around the failing line')
    expect((await code.innerText()).replace(/\s+/g, ' ')).toContain('▶ 11 failing line: await page.goto')
    const place = steps.getByRole('link', { name: 'src/panel.spec.ts:11:5' }).first()
    expect(await place.getAttribute('href')).toMatch(/\/src\/panel\.spec\.ts#L11$/)
    await steps.getByRole('button', { name: 'Passed After Hooks' }).click()
    const attach = steps.getByRole('button', { name: /^Passed Attach "screenshot"/ })
    expect(await steps.getByRole('img', { name: 'screenshot.png' }).count()).toBe(0)
    await attach.click()
    const picture = steps.getByRole('img', { name: 'screenshot.png' })
    await picture.scrollIntoViewIfNeeded()
    expect(await picture.evaluate(readDecodedWidth)).toBe(320)
    await page.close()
  })

  it('compares pictures with a slider that keys move', async () => {
    const page = await openRun()
    const card = failure(page, 6)
    await card.getByRole('button', { name: 'Slider' }).click()
    const slider = card.getByRole('slider')
    const widthLeft = () => card.getByRole('img', { name: /^Expected/ }).evaluate(readClip)
    expect(await widthLeft()).toContain('50%')
    await slider.focus()
    await page.keyboard.press('End')
    expect(await widthLeft()).toMatch(/inset\(0(px|%)?( 0%| 0px)?/)
    await page.keyboard.press('Home')
    expect(await widthLeft()).toContain('100%')
    await page.close()
  })

  it('offers the command that opens a trace, which is for download', async () => {
    const page = await openRun()
    const card = failure(page, 1)
    await card.getByText('npx playwright show-trace trace.zip').waitFor()
    const command = await copyBy(card.getByRole('button', { name: /^Copy command/ }))
    const [, address] = /^npx playwright show-trace '(.*)'$/.exec(command) ?? []
    const bytes = Buffer.from(await (await fetch(address ?? '')).arrayBuffer())
    expect(bytes.toString('latin1')).toBe('PK\u0003\u0004')
    await page.close()
  })
})

describe('going about the page by keys', () => {
  it('goes to the next failure with j and back with k, around the ends', async () => {
    const page = await openRun()
    const ways = [
      ['j', 0],
      ['j', 1],
      ['j', 6],
      ['k', 1],
      ['k', 0],
      ['k', 8],
    ] as const
    for (const [key, index] of ways) {
      await page.keyboard.press(key)
      await page.locator(`#failure-${index}:focus`).waitFor()
    }
    expect(await isInWindow(failure(page, 8).getByRole('heading').first())).toBe(true)
    await page.getByText('Failure 5 of 5').waitFor()
    await page.close()
  })

  it('searches with /, in names and errors, and Escape takes the search back', async () => {
    const page = await openRun()
    await page.keyboard.press('/')
    await page.keyboard.type('code had expired')
    await page.locator('#row-9').waitFor()
    await page.locator('#row-0').waitFor({ state: 'detached' })
    expect(await page.locator('[id^=failure-]').count()).toBe(0)
    await page.keyboard.press('Escape')
    await failure(page, 0).waitFor()
    await page.keyboard.press('j')
    await page.locator('#failure-0:focus').waitFor()
    await page.close()
  })

  it('does nothing while the user types', async () => {
    const page = await openRun()
    await page.keyboard.press('/')
    await page.keyboard.type('j?k/')
    expect(await page.getByLabel('Find in names and errors').inputValue()).toBe('j?k/')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.close()
  })

  it('lists the keys with ?', async () => {
    const page = await openRun()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('next failure').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.close()
  })
})

describe('the steps of a failed run', () => {
  it('shows steps within their test, and hides them when asked', async () => {
    const page = await openRun()
    await page.locator('#row-5').getByText('Expect "toHaveText"').waitFor()
    await page.getByRole('button', { name: 'Steps of panel › shows the state', exact: true }).click()
    await page.locator('#row-5').waitFor({ state: 'detached' })
    expect(await page.locator('#row-2').count()).toBe(0)
    await page.close()
  })

  it('has what an earlier attempt did within its test, closed, and a file at the step that attached it', async () => {
    const page = await openRun()
    await page.getByRole('button', { name: 'Steps of panel › shows the state › Attempt 1 of 2' }).waitFor()
    expect(await page.locator('#row-29').count()).toBe(0)
    await page.close()
    const other = await openRun(runId, '#step-32')
    const row = other.locator('#row-32:focus')
    await row.getByText('1 file').waitFor()
    expect(await row.getByRole('img', { name: 'screenshot.png' }).count()).toBe(1)
    await other.close()
  })

  it('marks what passed at a later attempt as flaky and says what had gone wrong', async () => {
    const page = await openRun()
    await page.getByRole('button', { name: 'Flaky 1' }).click()
    const row = page.locator('#row-9')
    await row.getByText('the code had expired').waitFor()
    await page.locator('#row-0').waitFor({ state: 'detached' })
    await row.getByRole('button', { name: 'with a code' }).click()
    await row.getByRole('tab', { name: /Attempt 1/, selected: true }).waitFor()
    await row.getByText('the code had expired').waitFor()
    await page.close()
  })

  it('shows only what came to the outcome that is asked for', async () => {
    const page = await openRun()
    await page.getByRole('button', { name: 'Passed 19' }).click()
    await page.locator('#row-0').waitFor({ state: 'detached' })
    expect(await page.locator('[id^=failure-]').count()).toBe(0)
    await page.locator('#row-20').waitFor()
    await page.getByRole('button', { name: 'Passed 19' }).click()
    await page.getByRole('button', { name: 'Failed 4' }).click()
    await failure(page, 0).waitFor()
    expect(await page.locator('#row-20').count()).toBe(0)
    await page.close()
  })

  it('has tests that did not run apart, with their reasons and tags', async () => {
    const page = await openRun()
    const skipped = page.getByRole('region', { name: '2 skipped tests' })
    await skipped.getByText('no test card for this bank').waitFor()
    await skipped.getByText('@slow').waitFor()
    await skipped.getByText('no reason given').waitFor()
    await page.close()
  })

  it('shows tags and the owner of a test', async () => {
    const page = await openRun()
    for (const place of [failure(page, 0), page.locator('#row-0')]) {
      await place.getByText('@money').waitFor()
      await place.getByText('@acme/checkout').waitFor()
    }
    await page.close()
  })
})

describe('taking a failure elsewhere', () => {
  it('copies a link to a step, which opens there', async () => {
    const page = await openRun()
    const link = await copyBy(failure(page, 6).getByRole('button', { name: /^Copy a link/ }))
    expect(link).toBe(`${service.url}/runs/${runId}#step-6`)
    await page.close()
    const other = await openRun(runId, '#step-6')
    await other.locator('#failure-6:focus').waitFor()
    expect(await isInWindow(failure(other, 6).getByRole('heading').first())).toBe(true)
    await other.goto('about:blank')
    await other.goto(`${service.url}/runs/${runId}#step-25`)
    await other.locator('#row-25:focus').getByText('Started').waitFor()
    await other.close()
  })

  it('copies the error as it is', async () => {
    const page = await openRun()
    const text = await copyBy(failure(page, 1).getByRole('button', { name: /^Copy the error/ }))
    expect(text).toContain('Received: "starting"')
    expect(text).toContain('while closing the page')
    await page.close()
  })

  it('copies one failure and all of them as Markdown', async () => {
    const page = await openRun()
    const one = await copyBy(failure(page, 0).getByRole('button', { name: /as Markdown$/ }))
    expect(one).toMatch(/^### Failed: `cart › adds up › prices in cents`\n/)
    expect(one).toContain('```diff\n')
    expect(one).toContain('-       "price": 1999,')
    expect(one).toContain('> 42 |     expect(bill).toEqual(expectedBill)')
    expect(one).toContain(`(${service.url}/runs/${runId}#step-0)`)
    await page.waitForTimeout(2_100)
    const all = await copyBy(page.getByRole('button', { name: 'Copy all as Markdown' }))
    expect(all.match(/^### /gm)).toHaveLength(5)
    await page.close()
  })
})

it('shows beside a failure what was logged while it ran', async () => {
  const phase = { name: 'heats up', outcome: 'FAIL', started_at: after(1_000), ended_at: after(3_000) }
  const logs = [500, 2_000, 4_000].map((ms) => ({
    level: 'WARNING',
    timestamp: after(ms),
    message: `oven at ${ms} ms`,
    source_file: 'oven.py',
    line_number: 7,
  }))
  const id = await makeRun(service, { phases: [phase], logs })
  const page = await openRun(id)
  await failure(page, 0).getByText('oven at 2000 ms').waitFor()
  expect(
    await failure(page, 0)
      .getByText(/^oven at/)
      .count(),
  ).toBe(1)
  await page.close()
})

describe('texts of a run', () => {
  it('finds words in a text, and links to a line of it', async () => {
    const log = Array.from({ length: 3000 }, (_, index) => `\u001b[33mline\u001b[39m ${index + 1}`).join('\n')
    const phases = [{ name: 'writes', outcome: 'FAIL', started_at: after(0), ended_at: after(5) }]
    const id = await makeRun(service, { phases }, [{ step: 'writes', fileName: 'out.log', content: log }])
    const page = await openRun(id)
    const text = page.getByLabel('Text of out.log')
    await text.getByText('line 1', { exact: true }).waitFor()
    expect(await text.innerText()).not.toContain('\u001b')
    await page.getByLabel('Find in out.log').fill('LINE 2777')
    await page.getByText('1', { exact: true }).first().waitFor()
    await page.getByLabel('Find in out.log').press('Enter')
    await text.locator('[data-line="2777"]').getByText('line 2777').waitFor()
    const scrolled = () => page.evaluate<number>('window.scrollY')
    const before = await scrolled()
    await text.locator('[data-line="2777"]').getByRole('link').click()
    await page.waitForURL(/#log-.*-2777$/)
    await page.waitForTimeout(300)
    expect(await isInWindow(text.locator('[data-line="2777"]'))).toBe(true)
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(900)
    const link = await copyBy(page.getByRole('button', { name: 'Copy a link to line 2777' }))
    await page.close()
    const other = await context.newPage()
    await other.goto(link)
    const line = other.locator('[data-line="2777"][aria-current]')
    await line.waitFor()
    expect(await isInWindow(line)).toBe(true)
    await other.close()
  })
})

describe('a run with nothing but outcomes', () => {
  it('says so where no error is on record', async () => {
    const step = { name: 'powers on', outcome: 'FAIL', started_at: after(0), ended_at: after(200) }
    const page = await openRun(await makeRun(service, { phases: [step] }))
    await failure(page, 0).getByText('No error is on record.').waitFor()
    await page.close()
  })

  it('looks as before: its failed step, and the log that tells why', async () => {
    const phases = [
      { name: 'door › opens', outcome: 'PASS', started_at: after(0), ended_at: after(5) },
      { name: 'door › closes', outcome: 'FAIL', started_at: after(5), ended_at: after(9) },
    ]
    const id = await makeRun(service, { phases }, [{ fileName: 'door.log', content: 'the hinge is stuck\n' }])
    const page = await openRun(id)
    await failure(page, 1).getByRole('link', { name: 'Why it failed is in the log' }).click()
    await page.getByText('the hinge is stuck').waitFor()
    expect(await page.getByRole('tab').count()).toBe(0)
    await page.close()
  })
})

it.each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)(
  'never scrolls sideways at %i pixels, %s, and has a name for all that can be pressed',
  async (width, colorScheme) => {
    const storageState = await context.storageState()
    const own = await browser.newContext({ viewport: { width, height: 844 }, colorScheme, storageState })
    const page = await own.newPage()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(`${service.url}/runs/${runId}`)
    await failure(page, 8).waitFor()
    expect(
      await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'),
    ).toBeLessThanOrEqual(0)
    for (const role of ['button', 'link', 'textbox', 'searchbox', 'img'] as const)
      expect([role, await page.getByRole(role, { name: /^\s*$/, exact: true }).count()]).toEqual([role, 0])
    expect(complaints).toEqual([])
    await own.close()
  },
)

describe.each(['light', 'dark'] as const)('code around a failing line, %s', (colorScheme) => {
  it('has colours, and its failing line is still marked', async () => {
    const own = await browser.newContext({ colorScheme, storageState: await context.storageState() })
    const page = await own.newPage()
    await page.goto(`${service.url}/runs/${runId}`)
    const code = failure(page, 1).getByLabel('Code around the failing line')
    const colorOf = (text: string) => code.getByText(text, { exact: true }).first().evaluate(readColor)
    const colors = await Promise.all(['await', '"/panel"', 'toHaveText'].map(colorOf))
    expect(new Set(colors).size).toBe(3)
    expect((await code.innerText()).replace(/\s+/g, ' ')).toContain('▶ 12 failing line: await expect(page')
    const gutter = await code.getByText('12', { exact: true }).evaluate(readColor)
    expect(colors).not.toContain(gutter)
    await own.close()
  })
})

it('sends no request while the page is idle', async () => {
  const page = await openRun()
  await page.waitForTimeout(1_000)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.waitForTimeout(5_000)
  expect(asked).toEqual([])
  await page.close()
})

/** Runs in the page: the width of a picture once it has been decoded, which a broken one never is. */
async function readDecodedWidth(image: unknown): Promise<number> {
  const picture = image as { decode(): Promise<void>; naturalWidth: number }
  await picture.decode()
  return picture.naturalWidth
}

/** Runs in the page: the part of a picture that is shown. */
function readClip(image: unknown): string {
  return (image as { style: { clipPath: string } }).style.clipPath
}

/** Runs in the page: the colour of a text. */
function readColor(element: unknown): string {
  const { ownerDocument } = element as { ownerDocument: { defaultView: Window } }
  return ownerDocument.defaultView.getComputedStyle(element).color
}

interface Window {
  getComputedStyle(element: unknown): { color: string }
}
