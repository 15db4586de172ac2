// @module-tag chromium
import type { QuarantineEntry } from '@runledger/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import { makeRun } from './made-runs'
import { PageInspector, WIDTHS } from './page-inspector'

let service: Service
let inspector: PageInspector
let page: Page
let testId = ''

beforeAll(async () => {
  service = await startService()
  for (const [index, message] of ['connection lost', 'expected 402 to be 200', undefined].entries())
    await record(index, message)
  const { data } = (await (await service.get('/v2/tests?search_query=pays')).json()) as {
    data: { id: string }[]
  }
  testId = data[0]?.id ?? ''
  inspector = await PageInspector.start(service)
  page = await inspector.openPage()
}, 120_000)

afterAll(async () => {
  await inspector?.stop()
  await service?.stop()
})

async function record(build: number, message: string | undefined): Promise<void> {
  const at = new Date(Date.now() - (10 - build) * 60_000).toISOString()
  await makeRun(service, {
    outcome: message === undefined ? 'PASS' : 'FAIL',
    started_at: at,
    ended_at: at,
    phases: [
      {
        name: 'checkout › pays by card',
        kind: 'test',
        outcome: message === undefined ? 'PASS' : 'FAIL',
        started_at: at,
        ended_at: at,
        owner: '@acme/shop',
        ...(message === undefined ? {} : { errors: [{ message }] }),
      },
    ],
    metadata: { group: `build-${build}`, git_branch: 'main', file: 'src/shop.test.ts' },
  })
}

async function listEntries(): Promise<QuarantineEntry[]> {
  const response = await service.get('/v2/quarantine?ended=true')
  return ((await response.json()) as { data: QuarantineEntry[] }).data
}

const TAKE_TOKEN = `const token = localStorage.getItem('runledger-session-token')
localStorage.removeItem('runledger-session-token')
token`

it('quarantines a test with the error of its last failure, extends the entry and ends it', async () => {
  await page.goto(`${service.url}/tests/${testId}`)
  const card = page.getByRole('region', { name: 'Quarantine' })
  await card.getByText('Not in quarantine.').waitFor()
  await card.getByText('Quarantine this test').click()
  const form = card.getByRole('form', { name: 'Quarantine this test' })
  expect(await form.getByLabel('With which error').locator('option:checked').innerText()).toBe(
    'expected 402 to be 200',
  )
  expect(await form.getByLabel(/^Owner/).inputValue()).toBe('@acme/shop')
  await form.getByLabel('Reason').fill('the bank is slow')
  await form.getByLabel(/^Link/).fill('https://example.com/issues/7')
  await form.getByLabel(/^Days from now/).fill('7')
  // As in a browser that signed in before sessions had tokens.
  const token = await page.evaluate<string>(TAKE_TOKEN)
  await form.getByRole('button', { name: 'Quarantine' }).click()
  await form.getByRole('alert').getByText('Sign in again.').waitFor()
  await page.evaluate(`localStorage.setItem('runledger-session-token', ${JSON.stringify(token)})`)
  await form.getByRole('button', { name: 'Quarantine' }).click()
  await card.getByText('In quarantine', { exact: true }).waitFor()
  await card.getByText('the bank is slow').waitFor()
  expect(
    await card.getByRole('link', { name: 'https://example.com/issues/7' }).getAttribute('rel'),
  ).toContain('noopener')

  await card.getByRole('button', { name: /^Extend/ }).click()
  await card.getByLabel(/^Days from now/).fill('30')
  await card.getByRole('button', { name: 'Extend it' }).click()
  await card.getByText(/extended .* by Local user/).waitFor()

  await card.getByRole('link', { name: 'expected 402 to be 200' }).click()
  const ofError = page.getByRole('region', { name: 'In quarantine with this error' })
  await ofError.getByRole('button', { name: /^End/ }).click()
  await ofError.getByRole('button', { name: 'End it now' }).click()
  await ofError.waitFor({ state: 'detached' })
  expect(await listEntries()).toMatchObject([
    { is_live: false, ended_by: 'Local user', reason: 'the bank is slow' },
  ])
})

it('quarantines any error only where that is chosen, and lists all entries on their page', async () => {
  await page.goto(`${service.url}/tests/${testId}`)
  const card = page.getByRole('region', { name: 'Quarantine' })
  await card.getByText('Quarantine this test').click()
  await card.getByLabel('With which error').selectOption({ label: 'Any error, also new ones' })
  await card.getByLabel('Reason').fill('it is being replaced')
  await card.getByRole('button', { name: 'Quarantine' }).click()
  await card.getByText('Any error', { exact: true }).waitFor()
  await record(4, 'something new')

  await page.goto(`${service.url}/tests`)
  await page.getByRole('link', { name: 'Quarantine' }).click()
  await page.getByRole('heading', { name: 'Quarantine' }).waitFor()
  await page.getByText('it is being replaced').waitFor()
  await page.getByText('1 failure since').waitFor()
  expect(await page.getByText('the bank is slow').count()).toBe(0)
  await page.getByRole('button', { name: 'Also those that have ended' }).click()
  await page.waitForURL(/ended=true/)
  await page.getByText('the bank is slow').waitFor()
  await page.getByText('Ended', { exact: true }).waitFor()
})

describe.each(WIDTHS)('at %d pixels', (width) => {
  it.each([
    ['the quarantine', '/quarantine?ended=true', false],
    ['a test in quarantine', () => `/tests/${testId}`, true],
  ] as const)('%s moves nothing, fits, and axe finds nothing wrong', async (name, address, hasForm) => {
    const open = async (own: Page) => {
      await own.goto(service.url + (typeof address === 'string' ? address : address()))
      await own.getByText('What these numbers mean').waitFor()
      await own.getByRole('button', { name: /^Extend/ }).waitFor()
      if (hasForm) await own.getByText('Quarantine this test').click()
      await own.getByRole('button', { name: /^Extend/ }).click()
      await own.waitForLoadState('networkidle')
    }
    expect(await inspector.inspect(name, width, { open })).toEqual([])
  })
})
