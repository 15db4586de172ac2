// @module-tag chromium
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { after, describeRichAttachments, describeRichRun, makeRun } from './made-runs'
import { PageInspector, type Visit, WIDTHS } from './page-inspector'

let home: string
let service: Service
let inspector: PageInspector
const addresses: Record<string, string> = {}

beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'runledger-pages-'))
  // The first procedure is named after the folder.
  const project = path.join(home, 'shop')
  await mkdir(project)
  service = await startService({ folder: project })
  await fillService()
  inspector = await PageInspector.start(service)
})

afterAll(async () => {
  await inspector?.stop()
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
  build: {
    open: async (page) => {
      await goTo(page, '/runs?group=build-1742')
      await page.getByRole('region', { name: /^Why it failed/ }).waitFor()
    },
  },
  'runs of a build': {
    open: async (page) => {
      await goTo(page, '/builds/build-1742?tab=runs')
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
  'a page with an answer that it cannot show': {
    open: async (page) => {
      await page.route('**/v2/line/procedures?*', (route) => route.fulfill({ json: {} }))
      await goTo(page, '/line')
      await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor()
      expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
      expect(await page.getByRole('banner').isVisible()).toBe(true)
    },
  },
  'no such page': {
    open: async (page) => {
      await goTo(page, '/nowhere')
      await page.getByRole('heading').first().waitFor()
    },
  },
}

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each(Object.entries(PAGES))(
    '%s moves nothing, fits, and axe finds nothing wrong',
    async (name, visit) => {
      expect(await inspector.inspect(name, width, visit)).toEqual([])
    },
  )
})
