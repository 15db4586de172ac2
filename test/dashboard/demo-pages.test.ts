// @module-tag chromium
import { generateYear, seed } from '@runledger/demo-data'
import { createRequest, type ListRunsQuery } from '@runledger/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service'
import { PageInspector, WIDTHS } from './page-inspector'

// Pictures show a year; what the pages do is seen in a few weeks.
const year = generateYear({ nowMs: Date.now(), days: process.env['SCREENSHOTS'] === undefined ? 20 : 365 })
const { flaky, outage, incomplete, line } = year.planted

let service: Service
let inspector: PageInspector

beforeAll(async () => {
  service = await startService()
  await seed(year, { url: service.url, apiKey: service.apiKey })
  inspector = await PageInspector.start(service)
})

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

async function findRun(query: Partial<ListRunsQuery>): Promise<string> {
  const { path } = createRequest('listRuns', { query: { ...query, sort_by: 'started_at', limit: 1 } })
  const { data } = (await (await service.get(path)).json()) as { data: { id: string }[] }
  return `/runs/${data[0]?.id}`
}

interface DemoPage {
  address: () => string | Promise<string>
  /** A text of the page, by which it has come. */
  shows: string
}

/** Pages of the seeded service, by the name of their pictures. */
const PAGES: Record<string, DemoPage> = {
  'demo list': { address: () => '/runs', shows: 'Passed' },
  'demo failed runs': { address: () => '/runs?outcome=FAIL', shows: 'Failed' },
  'demo build of the outage': {
    address: () => `/runs?group=${outage.builds[0]?.group}`,
    shows: outage.message,
  },
  'demo incomplete build': {
    address: () => `/runs?group=${incomplete.group}`,
    shows: `shard ${incomplete.shard.replace('/', ' of ')}`,
  },
  'demo run that failed': {
    address: () => findRun({ procedure_ids: [flaky[0]?.procedure ?? ''], outcomes: ['FAIL'] }),
    shows: 'Why it failed',
  },
  'demo board that failed': {
    address: () => findRun({ procedure_ids: [line.procedure], outcomes: ['FAIL'] }),
    shows: 'Why it failed',
  },
  'demo board with a value outside its limits': {
    address: () => findRun({ serial_numbers: [line.soft.serialNumber] }),
    shows: '1 measurement outside its limits',
  },
}

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each(Object.entries(PAGES))(
    '%s moves nothing, fits, and axe finds nothing wrong',
    async (name, { address, shows }) => {
      const open = async (page: Page) => {
        await page.goto(service.url + (await address()))
        await page.getByText(shows).filter({ visible: true }).first().waitFor()
        await page.waitForLoadState('networkidle')
      }
      expect(await inspector.inspect(name, width, { open })).toEqual([])
    },
  )
})
