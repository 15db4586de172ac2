// @module-tag chromium
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generateYear, seed } from '@runledger/demo-data'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service'
import { PageInspector, WIDTHS } from './page-inspector'

const FOLDER = process.env['SCREENSHOTS']
// Of the year, the line alone.
const year = generateYear({ nowMs: Date.now(), days: 60 })
const { retested, badBatch, golden, oddStation, part } = year.planted.line

let service: Service
let inspector: PageInspector
let page: Page

beforeAll(async () => {
  service = await startService()
  await seed({ ...year, projects: [] }, { url: service.url, apiKey: service.apiKey })
  inspector = await PageInspector.start(service)
  page = await inspector.openPage()
}, 240_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

async function read<Answer>(address: string): Promise<Answer> {
  return (await (await service.get(address)).json()) as Answer
}

async function findStation(): Promise<string> {
  const { data } = await read<{ data: { id: string; name: string }[] }>('/v2/stations?limit=100')
  return data.find(({ name }) => name === oddStation.station)?.id ?? ''
}

async function open(address: string, heading: string | RegExp): Promise<void> {
  await page.goto(service.url + address)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.waitForLoadState('networkidle')
}

const unitAddress = `/units/${retested.serialNumber}`

describe('the page of a unit', () => {
  it('shows the verdict of the unit that was retested until it passed, and what is known of each failure', async () => {
    await open(unitAddress, retested.serialNumber)
    const verdicts = page.getByRole('region', { name: 'Verdicts' })
    expect(await verdicts.innerText()).toMatch(
      new RegExp(
        `Final test\\s+Passed\\s+in run ${retested.failures + 1}, after ${retested.failures} failed`,
      ),
    )
    const line = page.getByRole('list', { name: 'Time line' })
    expect(await line.getByText('Failed', { exact: true }).count()).toBe(retested.failures)
    const text = (await line.innerText()).replaceAll(/\s+/g, ' ')
    expect(text).toContain(
      `failed in ${retested.failures - 1} of ${retested.failures - 1} earlier runs of this unit`,
    )
    expect(text).toMatch(
      new RegExp(`Sensors: ${retested.measurement} 10\\d\\d[.\\d]* hPa, limits 1008 to 1018 hPa`),
    )
    expect(text).toContain('First failure')
    expect(text).toMatch(/the step failed on \d+ of the \d+ other units tested before/)
    expect(text).toContain('Module test')
    expect(await page.title()).toBe(`${retested.serialNumber} · Runledger`)
  })

  it('places each value within its limits and the values of other units', async () => {
    await open(unitAddress, retested.serialNumber)
    const values = page.getByRole('region', { name: 'Values of Final test' })
    const row = values.getByRole('listitem').filter({ hasText: retested.measurement })
    expect(await row.innerText()).toMatch(/limits 1008 to 1018; (above|below) .* of \d+ others, mean 101\d/)
    expect(await values.locator('svg').count()).toBe(9)
  })

  it('leads to the sub-unit, and from there back to what holds it', async () => {
    await open(unitAddress, retested.serialNumber)
    const module = retested.serialNumber.replace('SB200', 'SM10')
    await page
      .getByRole('region', { name: 'Built from and into' })
      .getByRole('link', { name: module })
      .click()
    await page.getByRole('heading', { level: 1, name: module }).waitFor()
    await page
      .getByRole('region', { name: 'Built from and into' })
      .getByRole('link', { name: retested.serialNumber })
      .click()
    await page.getByRole('heading', { level: 1, name: retested.serialNumber }).waitFor()
  })

  it('is found by Ctrl-K with a part of its serial number', async () => {
    await open('/', 'Home')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search everything' }).fill(retested.serialNumber)
    await page.getByRole('option', { name: retested.serialNumber, exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(service.url + unitAddress)
  })

  it('says what to do where there is no such unit', async () => {
    await page.goto(`${service.url}/units/NOTHING`)
    await page.getByText('There is no such unit').waitFor()
    await page.getByRole('link', { name: 'Search the runs for it' }).click()
    await page.waitForURL(/\/runs\?q=NOTHING/)
  })

  it.each([
    ['the retested unit', retested.serialNumber],
    ['the golden unit, which has most runs', golden],
  ])('prints a certificate on one or two pages of A4: %s', async (name, serial) => {
    await open(`/units/${serial}`, serial)
    const pdf = await page.pdf({
      format: 'A4',
      margin: { top: '12mm', bottom: '12mm', left: '12mm', right: '12mm' },
    })
    if (FOLDER !== undefined) {
      await mkdir(FOLDER, { recursive: true })
      await writeFile(path.join(FOLDER, `${name.split(',')[0]?.replaceAll(' ', '-')}.pdf`), pdf)
    }
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
    expect(pages).toBeGreaterThan(0)
    expect(pages).toBeLessThanOrEqual(2)
  })
})

describe('the pages of what units belong to', () => {
  it('shows the bad batch beside all others, its units and where it is used', async () => {
    await open(`/batches/${badBatch.batch}`, `Batch ${badBatch.batch}`)
    const row = page.getByRole('table', { name: 'Yields of its units' }).getByRole('row').nth(1)
    const [own = 100, others = 0] = [...(await row.innerText()).matchAll(/(\d+) %/g)].map(([, one]) =>
      Number(one),
    )
    expect(own).toBeLessThan(others)
    expect(await page.getByRole('region', { name: 'Units' }).getByRole('listitem').count()).toBe(
      badBatch.boards,
    )
    await page.getByText('No unit holds a unit of this batch.').waitFor()
  })

  it('shows which units hold units of a batch', async () => {
    const module = retested.serialNumber.replace('SB200', 'SM10')
    const { batch } = await read<{ batch: { number: string } }>(`/v2/units/${module}`)
    await open(`/batches/${batch.number}`, `Batch ${batch.number}`)
    const holders = page.getByRole('region', { name: 'Where used' })
    await holders.getByRole('link', { name: retested.serialNumber }).waitFor()
  })

  it('shows a part with its rolled yield, and one of its revisions', async () => {
    await open(`/parts/${part}`, `Part ${part}`)
    await page.getByText('Rolled yield').first().waitFor()
    await page
      .getByRole('navigation', { name: 'Revisions' })
      .getByRole('link', { name: 'C', exact: true })
      .click()
    await page.waitForURL(/\?revision=C$/)
    const units = page.getByRole('region', { name: 'Units' }).getByRole('listitem')
    await units.first().waitFor()
    for (const unit of await units.allInnerTexts()) expect(unit).toMatch(/revision C\b/)
  })

  it('shows the station that measures lower values behind the others', async () => {
    await open(`/stations/${await findStation()}`, `Station ${oddStation.station}`)
    const row = page.getByRole('table', { name: 'Yields at this station' }).getByRole('row').nth(1)
    expect(await row.innerText()).toMatch(/Final test[\s\S]*%[\s\S]*n = \d+/)
    await page.getByRole('table', { name: 'Runs' }).getByRole('row').nth(1).waitFor()
  })

  it('is one click away from a run', async () => {
    const { data } = await read<{ data: { id: string }[] }>(
      `/v2/runs?limit=1&serial_numbers=${retested.serialNumber}`,
    )
    const address = `${service.url}/runs/${data[0]?.id}`
    for (const [label, target] of [
      [retested.serialNumber, /\/units\//],
      [part, /\/parts\//],
      [oddStation.station.replace(/\d/, ''), /\/stations\//],
    ] as const) {
      await page.goto(address)
      await page
        .getByRole('link', { name: new RegExp(label) })
        .first()
        .click()
      await page.waitForURL(target)
    }
  })
})

const PAGES: Record<string, { address: () => string | Promise<string>; shows: string }> = {
  'unit retested': { address: () => unitAddress, shows: 'Values of Final test' },
  'unit golden': { address: () => `/units/${golden}`, shows: 'Golden sample' },
  'unit unknown': { address: () => '/units/NOTHING', shows: 'There is no such unit' },
  part: { address: () => `/parts/${part}`, shows: 'Rolled yield' },
  batch: { address: () => `/batches/${badBatch.batch}`, shows: 'Yields of its units' },
  station: { address: async () => `/stations/${await findStation()}`, shows: 'Last runs' },
}

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each(Object.entries(PAGES))(
    '%s moves nothing, fits, and axe finds nothing wrong',
    async (name, { address, shows }) => {
      const show = async (opened: Page) => {
        await opened.goto(service.url + (await address()))
        await opened.getByText(shows).filter({ visible: true }).first().waitFor()
        await opened.waitForLoadState('networkidle')
      }
      expect(await inspector.inspect(name, width, { open: show })).toEqual([])
    },
  )
})
