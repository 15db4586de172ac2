// @module-tag chromium
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { after, makeRun } from './made-runs'
import { openSignedIn } from './open-page'

const FILE = 'src/cart.test.ts'
const MAIN = { git_branch: 'main', git_commit: 'a1b2c3d4e5f6' }

let service: Service
let browser: Browser
let page: Page
let brokenOnMain: string
let failed: string

beforeAll(async () => {
  service = await startService()
  await record({ 'adds up': 'PASS', pays: 'PASS' }, { ...MAIN, git_commit: '0f0f0f0f0f0f' })
  brokenOnMain = await record({ 'adds up': 'PASS', pays: 'FAIL', 'logs in': 'RETRIED' }, MAIN)
  failed = await record(
    { 'adds up': 'FAIL', pays: 'FAIL', 'logs in': 'FAIL', ships: 'FAIL' },
    { git_branch: 'cents', git_commit: 'c1', git_merge_base: MAIN.git_commit, group: 'ci-9' },
  )
  browser = await launchChromium()
  page = await openSignedIn(browser, service)
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function record(tests: Record<string, string>, variables: Record<string, string>): Promise<string> {
  const phases = Object.entries(tests).map(([name, outcome]) => ({
    name,
    kind: 'test',
    outcome: outcome === 'RETRIED' ? 'PASS' : outcome,
    retry_count: outcome === 'RETRIED' ? 1 : 0,
    started_at: after(0),
    ended_at: after(100),
    ...(outcome === 'FAIL' ? { error: { message: `${name} went wrong` } } : {}),
  }))
  const outcome = phases.some((phase) => phase.outcome === 'FAIL') ? 'FAIL' : 'PASS'
  return makeRun(service, { outcome, phases, metadata: { file: FILE, ci: 'GitHub Actions', ...variables } })
}

async function readVerdict(name: string): Promise<string> {
  const card = page.getByRole('listitem', { name: `Failure: ${name}` })
  await card.getByText(/^(New|Already failing|Flaky|First seen|First failure|Failed before)$/).waitFor()
  return (await card.innerText()).replaceAll(/\s+/g, ' ')
}

it('shows beside each failure of a run whether it is new, and since when it is not', async () => {
  await page.goto(`${service.url}/runs/${failed}`)
  expect(await readVerdict('adds up')).toContain('New passed on the merge base: a1b2c3d,')
  expect(await readVerdict('pays')).toMatch(
    /Already failing since a1b2c3d, .+, 1 build before this one; failed on the merge base/,
  )
  expect(await readVerdict('logs in')).toContain('Flaky in its last 100 builds it passed when tried again')
  expect(await readVerdict('ships')).toContain('First seen no earlier run of it on this branch')
  const unknown = page.getByText('The default branch is not known')
  expect(await unknown.count()).toBe(1)
  const lastFailure = page.getByRole('listitem', { name: 'Failure: ships' })
  expect((await unknown.boundingBox())?.y).toBeGreaterThan((await lastFailure.boundingBox())?.y ?? Infinity)
  await page.getByRole('listitem', { name: 'Failure: pays' }).getByRole('link', { name: 'a1b2c3d' }).click()
  await page.waitForURL(`${service.url}/runs/${brokenOnMain}`)
})

it('has the failures of a build by their verdicts, with their counts and why', async () => {
  await page.goto(`${service.url}/builds/ci-9`)
  const ofVerdict = async (name: string) => {
    const rows = page.getByRole('region', { name, exact: true }).getByRole('listitem')
    await rows.first().waitFor()
    return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
  }
  const [added] = await ofVerdict('New (1)')
  expect(added).toMatch(/^adds up run of adds up .* adds up went wrong passed on the merge base: a1b2c3d,/)
  expect((await ofVerdict('First seen (1)'))[0]).toContain('ships went wrong')
  expect((await ofVerdict('Flaky (1)'))[0]).toContain('logs in went wrong')
  expect((await ofVerdict('Already failing (1)'))[0]).toContain('since a1b2c3d')
  const region = page.getByRole('region', { name: 'New (1)' })
  await region.getByRole('link', { name: 'adds up', exact: true }).click()
  await page.getByRole('heading', { name: 'adds up' }).waitFor()
})

it('shows for a bench what its unit did before, with links, and how others do', async () => {
  const bench = (serial_number: string, outcome: 'PASS' | 'FAIL', minutes: number) => {
    const time = { started_at: after(minutes * 60_000), ended_at: after(minutes * 60_000) }
    const phases = [{ name: 'ripple', outcome, ...time }]
    return makeRun(service, { outcome, serial_number, part_number: 'PSU', phases, ...time })
  }
  await bench('SN-0249', 'PASS', 1)
  const first = await bench('SN-0250', 'FAIL', 2)
  await bench('SN-0250', 'PASS', 3)
  const last = await bench('SN-0250', 'FAIL', 4)
  await page.goto(`${service.url}/runs/${last}`)
  expect(await readVerdict('ripple')).toMatch(
    /Failed before failed in 1 of 2 earlier runs of this unit, first in run of \d+ \w+ \d{4}, \d\d:\d\d; passed in between in run of \d+ \w+ \d{4}, \d\d:\d\d; the step failed on 0 of the 1 other unit tested before/,
  )
  const card = page.getByRole('listitem', { name: 'Failure: ripple' })
  await card
    .getByRole('link', { name: /^run of/ })
    .first()
    .click()
  await page.waitForURL(`${service.url}/runs/${first}`)
  expect(await readVerdict('ripple')).toContain(
    'First failure no earlier run of this unit has this step; passed later in run of',
  )
})
