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
  await page.goto(service.url)
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
  const step = { name: 'adds', started_at: '2026-11-20T09:00:00Z', duration: 'PT1S', step_passed: !isBad }
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

it('says of a group what failed, what was flaky and what took longest, before its runs', async () => {
  await page.goto(`${service.url}/runs?group=ci-7`)
  const failures = page.getByRole('region', { name: 'What failed' })
  await failures.waitFor()
  await failures.getByRole('link', { name: 'adds' }).waitFor()
  // A response of its own.
  await failures.getByText('First seen').waitFor()
  expect(await failures.getByRole('link').allInnerTexts()).toEqual([FAILED, 'adds'])
  expect(await failures.innerText()).toMatch(
    /1 test failed\nadds src\/totals\.test\.ts:7\s+First seen\n[\s\S]*Received: 12/,
  )
  await page.getByText('shard 2 of 2 has not reported').waitFor()
  const head = await page.locator('dl').first().innerText()
  expect(head).toMatch(/Flaky\s+src\/pay\.test\.ts 1 test/)
  expect(head).toMatch(/Slowest\s+src\/totals\.test\.ts 18\.0 s/)
  expect(head).toMatch(/Shards\s+1\/2 18\.0 s 1 failed/)
  await failures.getByRole('link', { name: 'adds' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}#step-0$/)
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
