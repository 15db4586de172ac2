// @module-tag chromium
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { after, describeRichAttachments, describeRichRun, makeRun } from './made-runs'
import { openSignedIn } from './open-page'

/**
 * Every page in both themes and widths: checked by axe, and, where `SCREENSHOTS` names a folder, kept as a picture in it
 * (`npm run screenshots`).
 */
const folder = process.env['SCREENSHOTS']

let home: string
let service: Service
let browser: Browser
let storageState: NonNullable<BrowserContextOptions['storageState']>
let axe: string
const addresses: Record<string, string> = {}

beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'runledger-pages-'))
  // The first procedure is named after the folder.
  const project = path.join(home, 'shop')
  await mkdir(project)
  service = await startService({ folder: project })
  await fillService()
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  browser = await launchChromium()
  const context = await browser.newContext()
  await openSignedIn(context, service)
  storageState = await context.storageState()
  await context.close()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
  await rm(home, { recursive: true, force: true })
})

/** The unit of reporters that name none. */
const SOFTWARE = { serial_number: 'shop@3f2a9c1', part_number: 'shop' }

/** What one finds after a build of two shards, and a run of a bench. */
async function fillService(): Promise<void> {
  const passed = (name: string, index: number) => ({
    name,
    kind: 'test',
    outcome: 'PASS',
    started_at: after(index * 400),
    ended_at: after(index * 400 + 350),
  })
  const facts = {
    framework: 'vitest',
    framework_version: '4.1.12',
    group: 'build-1742',
    git_branch: 'feature/cents',
    git_commit: '3f2a9c1e0b7d4f56',
    package_version: '1.4.0',
  }
  for (const [index, file] of [
    'src/cart/pay.test.ts',
    'src/login.test.ts',
    'src/search/index.test.ts',
  ].entries()) {
    const phases = ['opens', 'finds what is there', 'says that nothing is there'].map(passed)
    await makeRun(service, {
      ...SOFTWARE,
      outcome: 'PASS',
      ended_at: after(1_200 + index * 3_000),
      phases,
      metadata: {
        ...facts,
        file,
        tests_passed: 3,
        tests_failed: 0,
        tests_skipped: 0,
        tests_flaky: index === 1 ? 1 : 0,
      },
    })
  }
  const measured = { name: 'supply › output', outcome: 'PASS', started_at: after(0), ended_at: after(300) }
  const value = {
    name: 'output',
    outcome: 'PASS',
    measured_value: 3.31,
    units: 'V',
    lower_limit: 3.2,
    upper_limit: 3.4,
  }
  addresses['run that passed'] = `/runs/${await makeRun(service, {
    outcome: 'PASS',
    phases: [
      { ...measured, measurements: [value] },
      {
        ...measured,
        name: 'supply › temperature',
        measurements: [
          { name: 'temperature', outcome: 'FAIL', measured_value: 71, units: '°C', upper_limit: 60 },
        ],
      },
    ],
    metadata: { file: 'bench/supply.spec.ts', framework: 'playwright' },
    logs: [
      {
        level: 'INFO',
        timestamp: after(10),
        message: 'meter connected',
        source_file: 'meter.py',
        line_number: 7,
      },
    ],
  })}`
  const rich = describeRichRun()
  const counts = {
    tests_passed: 19,
    tests_failed: 4,
    tests_skipped: 2,
    tests_flaky: 1,
    errors_outside_tests: 1,
  }
  const metadata = { ...rich.metadata, ...counts }
  addresses['run that failed'] =
    `/runs/${await makeRun(service, { ...rich, ...SOFTWARE, metadata }, describeRichAttachments())}`
}

interface Visit {
  open: (page: Page) => Promise<void>
  /** Whether it is for who has not signed in. */
  isOpen?: boolean
}

async function goTo(page: Page, address: string): Promise<void> {
  await page.goto(service.url + address)
}

const PAGES: Record<string, Visit> = {
  list: {
    open: async (page) => {
      await goTo(page, '/runs')
      await page.getByRole('link', { name: 'src/panel.spec.ts' }).first().waitFor()
      await page.getByText('1 measurement outside its limits').waitFor()
    },
  },
  group: {
    open: async (page) => {
      await goTo(page, '/runs?group=build-1742')
      await page.getByRole('region', { name: 'What failed' }).waitFor()
      await page.getByRole('table', { name: 'Runs' }).waitFor()
    },
  },
  'list without a match': {
    open: async (page) => {
      await goTo(page, '/runs?q=nothing-like-it')
      await page.getByText('No run matches').waitFor()
    },
  },
  'run that failed': {
    open: async (page) => {
      await goTo(page, addresses['run that failed'] ?? '')
      await page.getByText('the heart beat stopped').waitFor()
      await page.locator('#failure-8').waitFor()
    },
  },
  'run with all opened': {
    open: async (page) => {
      await goTo(page, addresses['run that failed'] ?? '')
      await page.locator('#failure-1').getByText('62 lines').click()
      await page.locator('#failure-1').getByText('Worker 2').click()
      await page.locator('#failure-1').getByLabel('What worker 2 ran').waitFor()
      await page.locator('#row-3').getByRole('button', { name: 'open the panel' }).click()
      await page.locator('#row-3').getByLabel('Code around the call').waitFor()
      await page.locator('#row-6').getByRole('button', { name: 'looks as it did' }).click()
      await page.locator('#row-6').getByLabel('Annotations').waitFor()
    },
  },
  'run that passed': {
    open: async (page) => {
      await goTo(page, addresses['run that passed'] ?? '')
      await page.getByRole('heading', { name: 'Steps' }).waitFor()
      await page.getByText('1 measurement outside its limits').waitFor()
    },
  },
  'unknown run': {
    open: async (page) => {
      await goTo(page, '/runs/00000000-0000-7000-8000-000000000000')
      await page.getByText('There is no such run').waitFor()
    },
  },
  keyboard: {
    open: async (page) => {
      await goTo(page, addresses['run that failed'] ?? '')
      await page.locator('#failure-0').waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    },
  },
  interface: {
    open: async (page) => {
      await goTo(page, '/interface#createRun')
      await page.getByRole('form', { name: 'Try createRun' }).waitFor()
    },
  },
  'sign in': {
    isOpen: true,
    open: async (page) => {
      await goTo(page, '/runs')
      await page.getByLabel('API key').fill('rl_user_wrong')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
    },
  },
  'no such page': {
    open: async (page) => {
      await goTo(page, '/nowhere')
      await page.getByRole('heading').first().waitFor()
    },
  },
}

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary?: string }[]
}

/** What axe finds wrong with a page, each with where it is. */
async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = await page.evaluate<Violation[]>('axe.run(document).then(({ violations }) => violations)')
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}\n${failureSummary}`),
  )
}

const MAX_HEIGHT = 12_000

const LOOKS = [1280, 390].flatMap((width) => (['light', 'dark'] as const).map((theme) => ({ width, theme })))

describe.each(LOOKS)('at $width pixels, $theme', ({ width, theme }) => {
  it.each(Object.entries(PAGES))('axe finds nothing wrong: %s', async (name, { open, isOpen = false }) => {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
      reducedMotion: 'reduce',
      ...(isOpen ? {} : { storageState }),
    })
    const page = await context.newPage()
    await open(page)
    // Lazy ones out of sight come when they are scrolled to: showAll waits for all.
    await waitForImages(page, 'img:not([loading=lazy])')
    const picture = path.join(folder ?? '', `${name.replaceAll(' ', '-')}-${width}-${theme}`)
    if (folder !== undefined) await page.screenshot({ path: `${picture}.png` })
    await showAll(page, width)
    if (folder !== undefined) await page.screenshot({ path: `${picture}-whole.png` })
    expect(await findViolations(page)).toEqual([])
    await context.close()
  })
})

/** Makes the window as high as the page, so that all of it is rendered, pictures too. */
async function showAll(page: Page, width: number): Promise<void> {
  await page.evaluate('window.scrollTo(0, 0)')
  const readHeight = () => page.evaluate<number>('document.documentElement.scrollHeight')
  await expect
    .poll(async () => {
      await page.setViewportSize({ width, height: Math.min(await readHeight(), MAX_HEIGHT) })
      const height = await readHeight()
      return height <= (page.viewportSize()?.height ?? 0) || height > MAX_HEIGHT
    })
    .toBe(true)
  await waitForImages(page, 'img')
}

async function waitForImages(page: Page, selector: string): Promise<void> {
  const haveCome = `[...document.querySelectorAll('${selector}')].every(({ complete }) => complete)`
  await expect.poll(() => page.evaluate(haveCome), { timeout: 30_000 }).toBe(true)
}
