// @module-tag chromium
import { generateYear, seed } from '@runledger/demo-data'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service'
import { PageInspector, WIDTHS } from './page-inspector'

const DAYS = 150
const MS_PER_DAY = 86_400_000

// The line alone: its procedures and stations are made anyway.
const year = { ...generateYear({ nowMs: Date.now(), days: DAYS }), projects: [] }
const { line } = year.planted

let service: Service
let inspector: PageInspector
let page: Page

beforeAll(async () => {
  service = await startService()
  await seed(year, { url: service.url, apiKey: service.apiKey })
  inspector = await PageInspector.start(service)
  page = await inspector.openPage()
}, 240_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

const measurementPath = (phase: string, measurement: string, more = '') =>
  `/line/${line.procedure}/measurement?phase=${phase}&measurement=${measurement}&days=365${more}`
const open = (path: string) => page.goto(service.url + path)
const readRegion = async (name: string) =>
  (await page.getByRole('region', { name }).innerText()).replaceAll(/\s+/g, ' ')
const readFirstRow = async (table: string) =>
  (await page.getByRole('table', { name: table }).getByRole('row').nth(1).innerText())
    .replaceAll(/\s+/g, ' ')
    .trim()

describe('what was planted in the line, found on its pages', () => {
  it('a voltage that drifts, within three clicks from Home: since when, and that it has no Cpk', async () => {
    await open('/')
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Line' }).click()
    await page
      .getByRole('table', { name: 'Procedures' })
      .getByRole('link', { name: line.drift.measurement })
      .first()
      .click()
    await page.getByRole('heading', { name: `Power › ${line.drift.measurement}` }).waitFor()
    await page.getByLabel('Period').selectOption('365')
    await page.waitForURL(/days=365/)
    const since = page.getByText(/^The mean has risen since/).locator('time')
    const readDaysLate = async () =>
      (Date.parse((await since.getAttribute('datetime')) ?? '') - line.drift.sinceMs) / MS_PER_DAY
    // The numbers of 28 days stand there until those of the year come.
    await expect.poll(readDaysLate).toBeLessThan(14)
    expect(await readDaysLate()).toBeGreaterThan(-7)
    expect(await readRegion('In control?')).toMatch(
      /No \d+ of [\d,]+ values .* break a Western Electric rule/,
    )
    const capable = await readRegion('Capable?')
    expect(capable).toContain('No answer')
    expect(capable).toContain('Cpk none: not in control')
    expect(capable).toMatch(/Ppk [\d.]+ [\d.]+ to [\d.]+ \d+/)
    expect(capable).toContain('Several products call Ppk “Cpk”')
  })

  it('the bad batch, with its failed runs, each of which says what failed', async () => {
    await open(`/line/${line.procedure}?by=batch&days=365`)
    const worst = page.getByText(/^Worst batch:/)
    await worst.waitFor()
    expect(await worst.innerText()).toContain(line.badBatch.batch)
    await worst.getByRole('link', { name: 'Its failed runs' }).click()
    const row = page.getByRole('table', { name: 'Runs' }).getByRole('row').nth(1)
    await row.waitFor()
    expect(await row.innerText()).toMatch(/idle_current[^\n]* 1\d(\.\d+)? mA[^\n]*8 to 14 mA/)
    await open(measurementPath('Power', line.badBatch.measurement, '&colour=batch'))
    await page.getByRole('table', { name: 'Values by batch' }).waitFor()
    expect(await readFirstRow('Values by batch')).toContain(line.badBatch.batch)
  })

  it('the station that measures differently, by its values and by the golden unit', async () => {
    const { measurement, station, by } = line.oddStation
    await open(measurementPath('Radio', measurement))
    await page.getByRole('table', { name: 'Values by station' }).waitFor()
    expect(await readFirstRow('Values by station')).toMatch(new RegExp(`^${station} `))
    const study = await readRegion('Gauge study')
    const [, size] =
      new RegExp(`^Gauge study ${station} measures the same unit ([\\d.]+) dBm lower than the mean`).exec(
        study,
      ) ?? []
    expect(Math.abs(Number(size) + by)).toBeLessThan(0.3)
    expect(study).toContain('Chance alone does not explain this.')
    expect(study).toContain(line.golden)
    expect(study).toContain('Unit to unit not known from one unit')
  })
})

/** Questions of a test engineer: what one clicks from Home, and what then answers. Two more are answered above. */
describe('a question of a test engineer, within three clicks from Home', () => {
  type Click = () => Promise<void>
  const click = (name: string, role: 'link' | 'button' = 'link'): Click => {
    return () => page.getByRole('main').getByRole(role, { name }).first().click()
  }
  const openLine: Click = () =>
    page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Line' }).click()
  const answer = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first()

  it.each<[question: string, clicks: Click[], answer: string | RegExp]>([
    ['what is the first-pass yield, of how many units', [], /first-pass yield, [\d,]+ of [\d,]+ units/],
    ['is the line in control', [openLine], /not in control/i],
    ['which measurement fails most', [openLine, click('Final test')], /of all failures/],
    [
      'which station passes least',
      [openLine, click('Final test'), click('Station', 'button')],
      /^Worst station:/,
    ],
  ])('%s?', async (_question, clicks, shown) => {
    await open('/')
    for (const one of clicks) await one()
    await answer(shown).waitFor()
    expect(clicks.length).toBeLessThanOrEqual(3)
  })

  it('what happened to a unit?', async () => {
    await open('/')
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Search/ })
      .click()
    await page.getByRole('combobox', { name: 'Search everything' }).fill(line.retested.serialNumber)
    await page.getByRole('option', { name: line.retested.serialNumber, exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: line.retested.serialNumber, level: 1 }).waitFor()
    await answer(
      new RegExp(`in run ${line.retested.failures + 1}, after ${line.retested.failures} failed`),
    ).waitFor()
  })
})

describe('choices, which stay in the address', () => {
  beforeEach(async () => {
    await open(measurementPath('Power', line.drift.measurement))
    await page
      .getByRole('img', { name: /^Individuals/ })
      .locator('canvas')
      .waitFor()
  })

  it('limits from values until a day, and Nelson’s rules', async () => {
    const until = new Date(line.drift.sinceMs - 7 * MS_PER_DAY).toISOString().slice(0, 10)
    await page.getByLabel('Limits until').fill(until)
    await page.waitForURL(new RegExp(`until=${until}`))
    await page.getByText(new RegExp(`from the first \\d+ values, up to ${until}`)).waitFor()
    await page.getByLabel('Rules', { exact: true }).selectOption('nelson')
    await page.waitForURL(/rules=nelson/)
    await expect.poll(() => readRegion('In control?')).toContain('break a Nelson rule')
    await page.getByRole('button', { name: /^Remove Limits from values until/ }).click()
    await page.waitForURL(({ search }) => !search.includes('until'))
  })

  it('one station, from its name in the table', async () => {
    await page
      .getByRole('table', { name: 'Values by station' })
      .getByRole('button', { name: line.oddStation.station })
      .click()
    await page.waitForURL(/station=/)
    const rows = page.getByRole('table', { name: 'Values by station' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await readFirstRow('Values by station')).toContain(line.oddStation.station)
  })

  it('a point leads to its run, and so does its row', async () => {
    await page.getByText(/values as a table$/).click()
    const link = page.getByRole('group', { name: 'Values' }).getByRole('link').first()
    expect(await link.getAttribute('href')).toMatch(/^\/runs\//)
    await page
      .getByRole('img', { name: /^Individuals/ })
      .locator('.u-over')
      .click()
    await page.waitForURL(/\/runs\//)
  })

  it('a part of the values by dragging, still with the mean and the control limits', async () => {
    const chart = page.getByRole('img', { name: /^Individuals/ })
    const canvas = `document.querySelector('[aria-label^=Individuals] canvas')`
    const readPicture = () => page.evaluate<string>(`${canvas}.toDataURL()`)
    const countColumns = (colour: string) =>
      page.evaluate<number>(`(${COUNT_COLUMNS})(${canvas}, '${colour}')`)
    await chart.scrollIntoViewIfNeeded()
    const { x, y, width } = (await chart.locator('.u-over').boundingBox()) ?? { x: 0, y: 0, width: 0 }
    const whole = { picture: await readPicture(), mean: await countColumns('--good') }
    await page.mouse.move(x + width * 0.4, y + 20)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.6, y + 20, { steps: 4 })
    await page.mouse.up()
    await expect.poll(readPicture).not.toBe(whole.picture)
    expect(page.url()).toContain('/measurement?')
    expect(await countColumns('--good')).toBeGreaterThan(whole.mean * 0.9)
    // Dashes of 6 with gaps of 4.
    expect(await countColumns('--accent')).toBeGreaterThan(whole.mean * 0.5)
  })
})

/** The number of columns of a canvas in which a colour is. */
const COUNT_COLUMNS = `(canvas, colour) => {
  const { width, height } = canvas
  const read = (context, columns, rows) => context.getImageData(0, 0, columns, rows).data
  const probe = new OffscreenCanvas(1, 1).getContext('2d')
  probe.fillStyle = getComputedStyle(canvas).getPropertyValue(colour)
  probe.fillRect(0, 0, 1, 1)
  const wanted = read(probe, 1, 1)
  const data = read(canvas.getContext('2d'), width, height)
  const columns = new Set()
  for (let at = 0; at < data.length; at += 4)
    if ([0, 1, 2, 3].every((part) => Math.abs(data[at + part] - wanted[part]) < 40)) columns.add((at / 4) % width)
  return columns.size
}`

it('goes through the procedures by keys', async () => {
  await open('/line')
  await page.getByRole('table', { name: 'Procedures' }).waitFor()
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  await page.waitForURL(/\/line\/[^/?]+/)
  await page.getByRole('heading', { level: 1 }).waitFor()
})

it('says that a procedure or measurement is not on record, and leads on', async () => {
  await open('/line/NOTHING')
  await page.getByText('There is no such procedure').waitFor()
  await open(`/line/${line.procedure}/measurement?phase=Nothing`)
  await page.getByText('There is no such measurement').waitFor()
  await page.getByRole('link', { name: 'See the measurements of the procedure' }).click()
  await page.getByRole('heading', { name: 'Final test' }).waitFor()
})

/** Pages by the names of their pictures, each with a text by which it has come. */
const PAGES: Record<string, [path: string, shows: string]> = {
  line: ['/line?days=365', 'Worst batch'],
  'line procedure': [`/line/${line.procedure}?days=365`, 'What fails'],
  'line procedure by station': [`/line/${line.procedure}?days=365&by=station`, 'What fails'],
  'measurement that drifts': [measurementPath('Power', line.drift.measurement), 'The mean has risen'],
  'measurement of a station': [measurementPath('Radio', line.oddStation.measurement), 'Gauge study'],
  'measurement by batch': [
    measurementPath('Power', line.badBatch.measurement, '&colour=batch'),
    'Several products',
  ],
}

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each(Object.entries(PAGES))(
    '%s moves nothing, fits, and axe finds nothing wrong',
    async (name, [path, shows]) => {
      const visit = async (own: Page) => {
        await own.goto(service.url + path)
        await own.getByText(shows).filter({ visible: true }).first().waitFor()
        await own.waitForLoadState('networkidle')
      }
      expect(await inspector.inspect(name, width, { open: visit })).toEqual([])
    },
  )
})
