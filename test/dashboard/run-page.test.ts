// @module-tag chromium
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { createProject, listVersions, type Project } from '../support/project'
import { startService, type Service } from '../support/service'

const CONFIG = `
  import { defineConfig } from '@playwright/test'
  export default defineConfig({
    retries: 1,
    reporter: [['@runledger/playwright']],
    use: { screenshot: 'only-on-failure', launchOptions: { executablePath: process.env.CHROMIUM_PATH } },
  })
`

// The page shows the attempt, so that the two attempts' screenshots differ.
const SUITE = `
  import { expect, test } from '@playwright/test'
  test.describe('panel', () => {
    test('shows the state', async ({ page }, testInfo) => {
      console.log('panel asked in attempt ' + (testInfo.retry + 1))
      await page.setContent('<h1>attempt ' + testInfo.retry + '</h1><script>alert</script>')
      await expect(page.getByRole('heading')).toHaveText('ready', { timeout: 200 })
    })
    test('is calm', async () => {})
  })
`

let service: Service
let project: Project
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  service = await startService()
  project = await createProject({
    framework: 'playwright',
    version: listVersions('playwright').at(-1) as string,
    files: { 'playwright.config.ts': CONFIG, 'panel.spec.ts': SUITE },
  })
  const result = await project.run({ service })
  expect(result.exitCode, result.stdout + result.stderr).toBe(1)
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
})

afterAll(async () => {
  await browser?.close()
  await project?.remove()
  await service?.stop()
})

/** The screenshots that Playwright left on disk, first attempt first. */
async function readScreenshots(): Promise<Buffer[]> {
  const results = path.join(project.dir, 'test-results')
  const folders = (await readdir(results))
    .filter((name) => !name.startsWith('.'))
    .sort((a, b) => a.length - b.length)
  return Promise.all(folders.map((name) => readFile(path.join(results, name, 'test-failed-1.png'))))
}

async function openRunPage(): Promise<Page> {
  const [run] = await service.listRuns()
  const page = await context.newPage()
  await page.goto(`${service.url}/runs/${run?.id}`)
  return page
}

describe('the dashboard', () => {
  it('asks for a key, refuses a wrong one, and goes back to where one was', async () => {
    const stranger = await browser.newContext()
    const page = await stranger.newPage()
    const [run] = await service.listRuns()
    await page.goto(`${service.url}/runs/${run?.id}`)
    await page.getByLabel(/key/i).fill('rl_user_wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel(/key/i).fill(service.apiKey)
    await page.keyboard.press('Enter')
    await page.getByText('shows the state').first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/runs/${run?.id}`)
    await stranger.close()
  })

  it('stays on its own site after signing in, whatever the address says', async () => {
    for (const next of ['https://evil.example/x', '//evil.example', 'javascript:alert(1)']) {
      const stranger = await browser.newContext()
      const page = await stranger.newPage()
      await page.goto(`${service.url}/sign-in?next=${encodeURIComponent(next)}`)
      await page.getByLabel(/key/i).fill(service.apiKey)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      expect(page.url()).toBe(`${service.url}/`)
      await stranger.close()
    }
  })

  it('signs in once by the link that serve prints', async () => {
    const page = await context.newPage()
    await page.goto(service.signInUrl)
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(page.url()).not.toContain('code=')
    const stranger = await browser.newContext()
    const second = await stranger.newPage()
    await second.goto(service.signInUrl)
    await second.getByLabel(/key/i).waitFor()
    await stranger.close()
  })

  it('shows all runs when the address names an outcome that does not exist', async () => {
    const page = await context.newPage()
    await page.goto(`${service.url}/runs?outcome=NONSENSE`)
    await page.getByRole('link', { name: 'panel.spec.ts' }).first().waitFor()
    await page.close()
  })

  it('lists the run with its outcome and opens it', async () => {
    const page = await context.newPage()
    await page.goto(`${service.url}/runs`)
    await page.getByText('Failed', { exact: true }).first().waitFor()
    await page.getByText('panel.spec.ts').waitFor()
    await page.getByRole('link', { name: 'panel.spec.ts' }).first().click()
    await page.getByText('shows the state').first().waitFor()
  })

  it('shows what each attempt printed below its error, as the reporter logged it', async () => {
    const page = await openRunPage()
    const step = page.getByRole('listitem').filter({ hasText: 'shows the state' }).first()
    for (const number of [2, 1]) {
      await step.getByRole('tab', { name: `Attempt ${number}` }).click()
      const printed = await step.getByLabel('What it printed', { exact: true }).innerText()
      expect(printed.split(/\s*\n\s*/)).toEqual(['stdout', `panel asked in attempt ${number}`])
    }
    await page.close()
  })

  it('shows each attempt’s own screenshot inside the failing step, byte for byte the file on disk', async () => {
    const page = await openRunPage()
    const step = page.getByRole('listitem').filter({ hasText: 'shows the state' }).first()
    const picture = step.getByRole('img', { name: 'screenshot.png' })
    const onDisk = await readScreenshots()
    expect(onDisk).toHaveLength(2)
    expect(onDisk[0]?.equals(onDisk[1] as Buffer)).toBe(false)
    for (const [index, name] of ['Attempt 1', 'Attempt 2'].entries()) {
      await step.getByRole('tab', { name }).click()
      expect(await picture.count()).toBe(1)
      await picture.scrollIntoViewIfNeeded()
      expect(await picture.evaluate(readDecodedWidth)).toBeGreaterThan(0)
      expect(await downloadFrom(page)).toEqual(onDisk[index])
    }
  })

  it('keeps the calm step free of the other step’s files, and shows the log', async () => {
    const page = await openRunPage()
    const steps = page.getByRole('list', { name: 'Steps' })
    const calm = steps.getByRole('listitem').filter({ hasText: 'is calm' }).first()
    await calm.waitFor()
    expect(await calm.getByRole('img', { name: 'screenshot.png' }).count()).toBe(0)
    await page.getByText('attempt 2: failed').waitFor()
    await page.getByText('tests_failed').waitFor()
  })

  it('says that a run passed although a measurement of it failed', async () => {
    const limit = { measurement_value: 3.5, measurement_unit: 'V', limit_high: 3.4 }
    const at = { started_at: '2020-01-01T00:00:00Z', duration: 'PT0S' }
    const answer = await fetch(`${service.url}/v1/runs/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        procedure_id: service.procedureId,
        unit_under_test: { serial_number: 'PSU-0042' },
        run_passed: true,
        ...at,
        steps: [{ name: 'reads › output', step_passed: false, ...at, ...limit }],
      }),
    })
    const { url } = (await answer.json()) as { url: string }
    const page = await context.newPage()
    await page.goto(url)
    await page.getByText('The run passed although 1 step of it failed').waitFor()
    await page.getByText('above the limit').first().waitFor()
    await page.close()
  })

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('never scrolls sideways at %i pixels, %s', async (width, colorScheme) => {
    const state = await context.storageState()
    const own = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme,
      storageState: state,
    })
    const page = await own.newPage()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    for (const where of ['/runs', `/runs/${(await service.listRuns())[0]?.id}`]) {
      await page.goto(service.url + where)
      await page.getByText('panel.spec.ts', { exact: true }).first().waitFor()
      expect(
        await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'),
      ).toBeLessThanOrEqual(0)
    }
    expect(complaints).toEqual([])
    await own.close()
  })
})

/** What a person gets who opens the step's picture and presses Download. */
async function downloadFrom(page: Page): Promise<Buffer> {
  await page.getByRole('button', { name: 'Enlarge screenshot.png' }).first().click()
  const dialog = page.getByRole('dialog')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download screenshot.png' }).click(),
  ])
  await page.keyboard.press('Escape')
  return readFile(await download.path())
}

/** Runs in the page: the width of a picture once it has been decoded, which a broken one never is. */
async function readDecodedWidth(image: { decode(): Promise<void>; naturalWidth: number }): Promise<number> {
  await image.decode()
  return image.naturalWidth
}
