// @module-tag chromium
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'

const FAILED = 'src/totals.test.ts'
const MESSAGE = 'expect(received).toBe(expected)\n\nExpected: 12.5\nReceived: 12'

let service: Service
let browser: Browser
let page: Page

beforeAll(async () => {
  service = await startService()
  for (const file of ['src/add.test.ts', FAILED, 'src/pay.test.ts', 'src/login.test.ts'])
    await createRun(file)
  browser = await launchChromium()
  page = await browser.newPage()
  await page.goto(`${service.url}/runs`)
  await page.getByLabel(/key/i).fill(service.apiKey)
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: 'Runs' }).waitFor()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function createRun(file: string): Promise<void> {
  const isBad = file === FAILED
  const step = {
    name: 'adds',
    kind: 'test',
    started_at: '2026-11-20T09:00:00Z',
    duration: 'PT1S',
    step_passed: !isBad,
  }
  const response = await fetch(`${service.url}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      procedure_id: service.procedureId,
      unit_under_test: { serial_number: 'acme/shop', part_number: 'shop' },
      run_passed: !isBad,
      started_at: '2026-11-20T09:00:00Z',
      duration: `PT${file.length}S`,
      steps: [isBad ? { ...step, error: { message: MESSAGE }, location: { file, line: 7 } } : step],
      report_variables: {
        file,
        group: 'ci-7',
        git_branch: 'main',
        git_default_branch: 'main',
        ...(isBad ? { shard: '1/2' } : {}),
        tests_passed: isBad ? '0' : '1',
        tests_failed: isBad ? '1' : '0',
        tests_flaky: file === 'src/pay.test.ts' ? '1' : '0',
      },
    }),
  })
  expect(response.status, await response.text()).toBe(200)
}

it('names a run by its file, and says why it failed', async () => {
  await page.goto(`${service.url}/runs`)
  const row = page.getByRole('row').filter({ hasText: FAILED })
  await row.waitFor()
  expect(await row.getByRole('link').first().innerText()).toBe(FAILED)
  expect(await row.innerText()).toMatch(/expect\(received\)\.toBe\(expected\)\nExpected: 12\.5\nReceived: 12/)
})

it('leads from the address of a group to the page of its build: what is missing, and why it failed', async () => {
  await page.goto(`${service.url}/runs?group=ci-7`)
  await page.waitForURL(`${service.url}/builds/ci-7`)
  await page.getByText('shard 2 of 2 has not reported').waitFor()
  await page.getByText('1 of 2 shards reported').waitFor()
  const cause = page.getByRole('region', { name: 'Why it failed: 1 cause' })
  expect(await cause.innerText()).toMatch(/1 test\s+expect\(received\)[\s\S]*src\/totals\.test\.ts/)
  const first = page.getByRole('region', { name: 'First seen (1)' })
  await first.getByRole('link', { name: 'adds', exact: true }).waitFor()
  await first.getByRole('link', { name: 'run of adds' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
})

it('lists the runs of a build with those that failed first, and its tests with those that took longest', async () => {
  await page.goto(`${service.url}/builds/ci-7?tab=runs`)
  const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row')
  await rows.nth(1).waitFor()
  expect(await rows.nth(1).innerText()).toContain(FAILED)
  await page.getByRole('link', { name: 'Tests (4)' }).click()
  await page.getByLabel('Sort by').selectOption('duration')
  const tests = page.getByRole('list', { name: 'Tests' }).getByRole('listitem')
  await expect.poll(() => tests.count()).toBe(4)
  await page.getByRole('searchbox', { name: 'Search the tests of this build' }).fill('totals')
  await page.keyboard.press('Enter')
  await expect.poll(() => tests.count()).toBe(1)
  expect(page.url()).toContain('q=totals')
})

it('narrows the list to a branch, a unit or an outcome that is typed', async () => {
  await page.goto(`${service.url}/runs`)
  const search = page.getByRole('searchbox')
  await search.fill('branch:main unit:acme/shop outcome:fail')
  await search.press('Enter')
  await page.waitForURL(/branch=main/)
  await expect.poll(() => page.getByRole('table', { name: 'Runs' }).getByRole('row').count()).toBe(2)
  expect(await page.getByLabel('Branch', { exact: true }).inputValue()).toBe('main')
  await page.getByRole('button', { name: 'Remove Unit acme/shop' }).click()
  await page.waitForURL(/\?branch=main&outcome=FAIL$/)
})

it('leads from a run, a group and a list to the same as Markdown', async () => {
  const follow = async (path: string) => {
    await page.goto(service.url + path)
    await page.getByRole('link', { name: 'Markdown' }).click()
    await page.waitForURL(/\.md(\?|$)/)
    return { address: page.url().slice(service.url.length), text: await page.locator('pre').innerText() }
  }
  const group = await follow('/runs?group=ci-7')
  expect(group.address).toBe('/runs.md?group=ci-7')
  expect(group.text).toContain('- 4 runs: 3 passed, 1 failed')
  expect((await follow('/runs?outcome=FAIL')).text).toMatch(/^# Runs: `FAIL`\n/)
  const run = await follow(new URL(/\((\S+)#step-0\)/.exec(group.text)?.[1] ?? '').pathname)
  expect(run.text).toMatch(/^# Failed: \[`src\/totals\.test\.ts`\]/)
})
