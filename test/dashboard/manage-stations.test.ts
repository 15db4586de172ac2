// @module-tag chromium
import type { ProcedureListItem, StationListItem } from '@runledger/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { makeRun, send } from './made-runs'
import { list, typeAtOnce } from './managing'
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

async function open(section: string): Promise<void> {
  await page.goto(`${service.url}/manage/${section}`)
}

const row = (name: string) => page.getByRole('listitem', { name, exact: true })

it('creates a project, renames it, and deletes it with its runs after its name was typed', async () => {
  await open('projects')
  await page.getByRole('button', { name: 'Create a project' }).press('Enter')
  const form = page.getByRole('form', { name: 'Create a project' })
  await typeAtOnce(form.getByLabel('Name'), 'Final test')
  await form.getByLabel(/^Identifier/).fill('FVT1')
  await form.getByLabel(/^Identifier/).press('Enter')
  await row('Final test').waitFor()
  await makeRun(service, { procedure_id: 'FVT1' })
  await row('Final test').getByRole('button', { name: 'Rename Final test' }).press('Enter')
  await typeAtOnce(page.getByRole('form', { name: 'Rename Final test' }).getByLabel('Name'), ' 2')
  await page.keyboard.press('Enter')
  await row('Final test 2').getByText('FVT1').waitFor()
  const runs = '/v2/runs?procedure_ids=FVT1'
  expect(await list(service, runs)).toHaveLength(1)

  await row('Final test 2').getByRole('button', { name: 'Delete Final test 2' }).press('Enter')
  await page.getByRole('form', { name: 'Delete Final test 2' }).waitFor()
  await row('Final test 2').getByRole('button', { name: 'Rename Final test 2' }).press('Enter')
  const renaming = page.getByRole('form', { name: 'Rename Final test 2' })
  await typeAtOnce(renaming.getByLabel('Name'), ' 3')
  expect(await renaming.getByLabel('Name').inputValue()).toBe('Final test 2 3')
  await renaming.getByRole('button', { name: 'Cancel' }).press('Enter')

  await row('Final test 2').getByRole('button', { name: 'Delete Final test 2' }).press('Enter')
  const deleting = page.getByRole('form', { name: 'Delete Final test 2' })
  await typeAtOnce(deleting.getByLabel(/^Type/), 'Final test')
  expect(await deleting.getByRole('button', { name: 'Delete it' }).isDisabled()).toBe(true)
  await page.keyboard.type(' 2')
  await page.keyboard.press('Enter')
  await row('Final test 2').waitFor({ state: 'detached' })
  const left = await list<ProcedureListItem>(service, '/v2/procedures')
  expect(left.map(({ identifier }) => identifier)).not.toContain('FVT1')
  expect(left).not.toHaveLength(0)
})

it('reports why a project was not created', async () => {
  const [{ identifier } = { identifier: '' }] = await list<ProcedureListItem>(service, '/v2/procedures')
  await open('projects')
  await page.getByRole('button', { name: 'Create a project' }).press('Enter')
  await typeAtOnce(page.getByLabel('Name', { exact: true }), 'Another')
  await page.getByLabel(/^Identifier/).fill(identifier)
  await page.keyboard.press('Enter')
  await page
    .getByRole('alert')
    .getByText(/^Not done: .*already/)
    .waitFor()
})

it('creates a station, links and unlinks a project, renames and deletes it', async () => {
  const stations = () => list<StationListItem>(service, '/v2/stations')
  await open('stations')
  await page.getByText('There are no stations').waitFor()
  await page.getByRole('button', { name: 'Create a station' }).press('Enter')
  await typeAtOnce(page.getByLabel('Name', { exact: true }), 'Bench 1')
  await page.keyboard.press('Enter')
  await row('Bench 1').getByText('No project is linked to it').waitFor()
  await row('Bench 1').getByRole('button', { name: 'Link a project' }).press('Enter')
  const choice = page.getByRole('form', { name: 'Link a project to Bench 1' }).getByLabel('Project')
  await choice.and(page.locator(':focus')).waitFor()
  await choice.selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Link it' }).press('Enter')
  const unlink = row('Bench 1').getByRole('button', { name: /^Unlink .* from Bench 1$/ })
  await unlink.waitFor()
  expect((await stations()).map((station) => station.procedures_count)).toEqual([1])
  await unlink.press('Enter')
  await unlink.waitFor({ state: 'detached' })
  expect((await stations()).map((station) => station.procedures_count)).toEqual([0])

  await row('Bench 1').getByRole('button', { name: 'Rename Bench 1' }).press('Enter')
  await typeAtOnce(page.getByRole('form', { name: 'Rename Bench 1' }).getByLabel('Name'), '0')
  await page.keyboard.press('Enter')
  await row('Bench 10').getByRole('button', { name: 'Delete Bench 10' }).press('Enter')
  await typeAtOnce(page.getByRole('form', { name: 'Delete Bench 10' }).getByLabel(/^Type/), 'Bench 10')
  await page.keyboard.press('Enter')
  await page.getByText('There are no stations').waitFor()
  expect(await stations()).toEqual([])
})

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each(['projects', 'stations'])(
    'managing %s moves nothing, fits, and axe finds nothing wrong',
    async (section) => {
      if (section === 'stations') await createLongStation()
      const openForms = async (own: Page) => {
        await own.goto(`${service.url}/manage/${section}`)
        await own.getByRole('button', { name: /^Create a/ }).click()
        await own
          .getByRole('button', { name: /^Delete/ })
          .first()
          .click()
        await own.waitForLoadState('networkidle')
      }
      expect(await inspector.inspect(`manage ${section}`, width, { open: openForms })).toEqual([])
    },
  )
})

async function createLongStation(): Promise<void> {
  const [project] = await list<ProcedureListItem>(service, '/v2/procedures')
  await send(service, 'POST', '/v2/stations', {
    name: 'A bench with a long name, so that it needs more than one line on a phone',
    procedure_id: project?.id,
  })
}
