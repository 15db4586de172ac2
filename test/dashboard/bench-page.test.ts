// @module-tag chromium
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service'
import { PageInspector } from './page-inspector'

const TABLET = { viewport: { width: 1024, height: 768 } }
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let service: Service
let inspector: PageInspector
let page: Page
let stationKey: string

async function send<Answer>(path: string, body: object, key = service.apiKey): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status, path).toBe(200)
  return (await response.json()) as Answer
}

/** A run of this station about a unit whose supply must be at least 3.1 V; its id. */
async function test(serialNumber: string, value: number): Promise<string> {
  const times = { started_at: new Date().toISOString(), duration: 'PT1S' }
  const passed = value >= 3.1
  const step = { name: 'supply', step_passed: passed, measurement_value: value, measurement_unit: 'V' }
  const body = {
    procedure_id: 'FVT',
    unit_under_test: { serial_number: serialNumber, part_number: 'BOARD', revision: 'A' },
    run_passed: passed,
    ...times,
    steps: [{ ...step, limit_low: 3.1, ...times }],
  }
  return (await send<{ id: string }>('/v1/runs', body, stationKey)).id
}

interface StoredRun {
  attachments: { name: string }[]
  metadata: Record<string, unknown>
}

async function readRun(id: string): Promise<StoredRun> {
  return (await (await service.get(`/v2/runs/${id}`)).json()) as StoredRun
}

async function readLastRun(): Promise<string> {
  const { data } = (await (await service.get('/v2/runs?limit=1')).json()) as { data: [{ id: string }] }
  return data[0].id
}

beforeAll(async () => {
  service = await startService()
  for (const identifier of ['FVT', 'BURN-IN'])
    await send('/v2/procedures', { name: identifier === 'FVT' ? 'Final test' : 'Burn-in', identifier })
  const { id } = await send<{ id: string }>('/v2/stations', { name: 'Bench 1', procedure_id: 'FVT' })
  const { key } = await send<{ key: string }>('/v2/keys', { kind: 'station', name: 'tablet', station_id: id })
  stationKey = key
  const other = { serial_number: 'SN-0', part_number: 'BOARD', revision: 'A' }
  const run = { procedure_id: 'BURN-IN', unit_under_test: other, run_passed: true, duration: 'PT1S' }
  await send('/v1/runs', run)
  await test('SN-1', 2.9)
  inspector = await PageInspector.start(service)
  page = await inspector.openPage(TABLET)
}, 120_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

const verdict = () => page.getByRole('status', { name: 'Verdict' })
const field = () => page.getByRole('textbox', { name: 'Scan or type a serial number, then Enter' })

/** Types as a scanner does: quickly, wherever the focus is, ended by Enter. */
async function scan(serialNumber: string): Promise<void> {
  await page.keyboard.type(serialNumber, { delay: 5 })
  await page.keyboard.press('Enter')
}

describe('the page for a tablet at a station', () => {
  it('asks for the key of the station, and refuses that of a user', async () => {
    await page.goto(`${service.url}/station`)
    await page.getByLabel('The station’s key').fill(service.apiKey)
    await page.keyboard.press('Enter')
    await page.getByText('This is the key of a user.').waitFor()
    await page.getByLabel('The station’s key').fill(stationKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Bench 1' }).waitFor()
  })

  it('has the focus in its field from the start, and shows the last run', async () => {
    await expect.poll(() => field().evaluate((one) => one.matches(':focus'))).toBe(true)
    expect(await verdict().innerText()).toMatch(/Failed\s+SN-1/)
  })

  it('takes a serial number from a scanner and shows what the unit needs and why it failed', async () => {
    await scan('sn-1')
    await page.getByRole('heading', { name: 'SN-1', exact: true }).waitFor()
    const needs = page.getByRole('list', { name: 'Needs and has' })
    expect((await needs.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /Final test at this station Not passed in its only run Failed Burn-in Still needed: .* Not tested/,
    )
    const failures = page.getByRole('region', { name: 'Its last failures' })
    expect(await failures.innerText()).toContain('supply: 2.9 V, limit ≥ 3.1 V')
    expect(await field().inputValue()).toBe('')
  })

  it('takes the next one after the operator touched something else', async () => {
    await page.getByText('Scan or type').click()
    await page.locator('main').click({ position: { x: 5, y: 5 } })
    await scan('SN-404')
    await page.getByText('No run is on record for “SN-404”').waitFor()
    await page.getByRole('link', { name: 'Bench 1' }).focus()
    await scan('SN-1')
    await page.getByRole('heading', { name: 'SN-1', exact: true }).waitFor()
  })

  it('shows the verdict of a run that arrives, within seconds', async () => {
    await test('SN-1', 3.3)
    await expect.poll(() => verdict().innerText(), { timeout: 8_000 }).toMatch(/Passed\s+SN-1/)
    const needs = page.getByRole('list', { name: 'Needs and has' })
    await expect.poll(() => needs.innerText()).toContain('in run 2, after 1 failed')
  })

  it('attaches a photo and a note to the run', async () => {
    const id = await test('SN-1', 2.5)
    await expect.poll(() => verdict().innerText(), { timeout: 8_000 }).toMatch(/Failed\s+SN-1/)
    await page.getByText('Attach a photo or a note to this run').click()
    await page.getByLabel('Photo').setInputFiles({ name: 'burnt.png', mimeType: 'image/png', buffer: PNG })
    await page.getByLabel('Note').fill('burnt smell')
    await page.getByRole('button', { name: 'Attach' }).click()
    await page.getByText('Attached to the run of SN-1.').waitFor()
    const { attachments, metadata } = await readRun(id)
    expect(attachments.map(({ name }) => name)).toEqual(['burnt.png'])
    expect(metadata).toMatchObject({ note: 'burnt smell' })
    await page.getByRole('img', { name: 'burnt.png' }).waitFor()
  })

  it('keeps a note that is being written for its run when another arrives, and adds it to the earlier note', async () => {
    const before = await readLastRun()
    await page.getByLabel('Note').fill('fuse replaced')
    await page.getByText('Attached to the run of SN-1.').waitFor({ state: 'detached' })
    const next = await test('SN-2', 3.3)
    await expect.poll(() => verdict().innerText(), { timeout: 8_000 }).toMatch(/Passed\s+SN-2/)
    await page.getByText('Attach a photo or a note to the earlier run of SN-1').waitFor()
    await page.getByRole('button', { name: 'Attach' }).click()
    await page.getByText('Attached to the run of SN-1.').waitFor()
    expect((await readRun(before)).metadata).toMatchObject({ note: 'burnt smell\nfuse replaced' })
    expect((await readRun(next)).metadata).not.toHaveProperty('note')
    await page.getByText('Attach a photo or a note to this run').waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('')
  })

  it.each([
    ['tablet', 1024, 768, 'light'],
    ['tablet', 1024, 768, 'dark'],
    ['phone', 390, 844, 'light'],
  ] as const)(
    'fits a %s of %d × %d pixels, %s, and axe finds nothing wrong',
    async (_, width, height, theme) => {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: theme })
      expect(
        await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'),
      ).toBeLessThanOrEqual(0)
      expect(await inspector.look(`bench-${width}-${theme}`, page)).toEqual([])
    },
  )
})
