// @module-tag chromium
import type { ProcedureListItem, Settings } from '@runledger/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { makeRun, send } from './made-runs'
import { list, save } from './managing'
import { PageInspector, WIDTHS } from './page-inspector'

let service: Service
let inspector: PageInspector
let page: Page

beforeAll(async () => {
  service = await startService()
  await makeRun(service, {})
  inspector = await PageInspector.start(service)
  page = await inspector.openPage()
}, 120_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

async function readSettings(): Promise<Settings> {
  return (await (await service.get('/v2/settings')).json()) as Settings
}

const saveButton = () => page.getByRole('button', { name: 'Save' })

async function open(): Promise<void> {
  await page.goto(`${service.url}/manage/settings`)
  await page.getByRole('form', { name: 'Settings' }).waitFor()
}

it('changes what was edited, and nothing that somebody else changed meanwhile', async () => {
  await open()
  expect(await saveButton().isDisabled()).toBe(true)
  await page.getByLabel('Short name').fill('acme-lamps')
  await page.getByRole('checkbox', { name: 'Batches' }).press('Space')
  await page.getByLabel(/^Pattern of serial numbers/).fill('^(?<part_number>[A-Z]+)-')
  await send(service, 'PATCH', '/v2/settings', { 'auto_create.unit': false })
  await save(page.getByLabel('Short name'), 'PATCH')
  expect(await readSettings()).toMatchObject({
    'organization.slug': 'acme-lamps',
    'auto_create.batch': false,
    'auto_create.unit': false,
    'serial_number.pattern': '^(?<part_number>[A-Z]+)-',
  })
  await page.getByLabel(/^Pattern of serial numbers/).fill('')
  await save(saveButton(), 'PATCH')
  expect((await readSettings())['serial_number.pattern']).toBeNull()
})

it('asks before it deletes runs, also by a rule for one project', async () => {
  await open()
  await page.getByLabel(/^Days after which/).fill('90')
  const confirmation = page.getByLabel(/^Older runs are deleted/)
  await confirmation.waitFor()
  expect(await saveButton().isDisabled()).toBe(true)
  await confirmation.fill('delete runs')
  await save(confirmation, 'PATCH')
  expect((await readSettings())['retention.days']).toBe(90)

  await page.getByLabel('A rule for one project').selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Add the rule' }).press('Enter')
  await page.getByText(/: never$/).waitFor()
  expect(await confirmation.count()).toBe(0)
  await save(saveButton(), 'PATCH')
  expect(Object.values((await readSettings())['retention.days_by_procedure'])).toEqual([null])
  await page.getByRole('button', { name: /^Remove the rule/ }).press('Enter')
  await confirmation.waitFor()
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByText(/: never$/).waitFor()
})

it('keeps a rule that somebody else made meanwhile, and replaces one of the same project', async () => {
  const [project] = await list<ProcedureListItem>(service, '/v2/procedures')
  const { id = '', identifier = '' } = project ?? {}
  const other = (await send(service, 'POST', '/v2/procedures', { name: 'Other' })) as { id: string }
  const name = 'retention.days_by_procedure'
  await send(service, 'PATCH', '/v2/settings', { [name]: { [identifier]: 365 }, 'retention.days': null })
  await open()
  await page.getByText(/: 365 days$/).waitFor()
  await send(service, 'PATCH', '/v2/settings', { [name]: { [identifier]: 365, [other.id]: null } })
  await page.getByLabel('A rule for one project').selectOption(id)
  await page.getByLabel('Its days; empty for never').fill('0')
  await page.getByLabel('Its days; empty for never').press('Enter')
  expect(await page.getByText(/: 365 days$/).count()).toBe(1)
  await page.getByLabel('Its days; empty for never').fill('30')
  await page.getByLabel('Its days; empty for never').press('Enter')
  await page.getByText(/: 30 days$/).waitFor()
  expect(await page.getByText(/: 365 days$/).count()).toBe(0)
  await page.getByLabel(/^Older runs are deleted/).fill('delete runs')
  await save(saveButton(), 'PATCH')
  expect((await readSettings())[name]).toEqual({ [id]: 30, [other.id]: null })
})

it('asks before unsaved settings are left', async () => {
  await open()
  await page.getByLabel('Short name').fill('unsaved')
  const asked = page.waitForEvent('dialog')
  const leaving = page.getByRole('link', { name: 'Keys' }).press('Enter')
  await (await asked).dismiss()
  await leaving
  expect(await page.getByLabel('Short name').inputValue()).toBe('unsaved')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
})

it('reports why settings were not saved, and keeps what was typed', async () => {
  await open()
  await page.getByLabel('Short name').fill('Not a short name')
  await page.getByLabel('Short name').press('Enter')
  await page
    .getByRole('alert')
    .getByText(/^Not done: .*lower-case words/)
    .waitFor()
  expect(await page.getByLabel('Short name').inputValue()).toBe('Not a short name')
})

describe.each(WIDTHS)('at %d pixels', (width) => {
  it('moves nothing, fits, and axe finds nothing wrong', async () => {
    const openAll = async (own: Page) => {
      await own.goto(`${service.url}/manage/settings`)
      await own.getByLabel(/^Days after which/).fill('7')
      await own.waitForLoadState('networkidle')
    }
    expect(await inspector.inspect('manage settings', width, { open: openAll })).toEqual([])
  })
})
