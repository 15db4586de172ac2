// @module-tag chromium
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { createProject, newestVersion, type Project } from '../support/project'
import { startService, type Service } from '../support/service'
import { openSignedIn } from './open-page'

const FILES = {
  'vitest.config.mjs': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
  'a.test.mjs': `import { afterAll, expect, test } from 'vitest'
    let calls = 0
    test('passes', () => {})
    test('is flaky', { retry: 1 }, () => expect((calls += 1)).toBe(2))
    test('fails', () => expect(1).toBe(2))
    test.skip('is skipped', () => {})
    afterAll(() => { throw new Error('port still open') })\n`,
}
const WORDS = '2 passed (1 flaky), 1 failed, 1 skipped, 1 error outside of tests'

let service: Service
let project: Project
let browser: Browser
let page: Page
let run: RunDetail

beforeAll(async () => {
  service = await startService()
  project = await createProject({ framework: 'vitest', version: newestVersion('vitest'), files: FILES })
  const summary = path.join(project.dir, 'summary.md')
  await project.run({ service, env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary } })
  run = (await service.readAllRuns())[0] as RunDetail
  browser = await launchChromium()
  page = await openSignedIn(browser, service)
})

afterAll(async () => {
  await browser?.close()
  await project?.remove()
  await service?.stop()
})

const read = async (address: string) => (await service.get(address)).text()

it('says the same numbers of a run in its variables, log, Markdown and job summary', async () => {
  expect(run.metadata).toMatchObject({
    tests_passed: '2',
    tests_flaky: '1',
    tests_failed: '1',
    tests_skipped: '1',
    errors_outside_tests: '1',
  })
  expect(String(await service.download(run, 'a.test.mjs.log'))).toContain(`tests      ${WORDS}\n`)
  expect(await read(`/runs/${run.id}.md`)).toContain(`- Tests: ${WORDS}\n`)
  expect(await read(`/runs.md?group=${run.metadata['group']}`)).toContain(`- Tests: ${WORDS}\n`)
  const summary = await readFile(path.join(project.dir, 'summary.md'), 'utf8')
  expect(summary).toContain('| Suite | Passed | Failed | Skipped | Flaky | Errors outside of tests | Time |')
  expect(summary).toMatch(/\| 2 \| 1 \| 1 \| 1 \| 1 \| \d+ ms \|/)
})

it('says them on the page of the run, where each number is that of the steps it selects', async () => {
  await page.goto(`${service.url}/runs/${run.id}`)
  const buttons = page.getByRole('group', { name: 'Outcome' }).getByRole('button')
  await buttons.first().waitFor()
  const words = await buttons.allInnerTexts()
  expect(words.map((each) => each.replaceAll(/\s+/g, ' '))).toEqual([
    'Failed 1',
    'Errors outside of tests 1',
    'Flaky 1',
    'Passed 2',
    'Skipped 1',
  ])
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  for (const [name, shown] of [
    ['Passed', ['passes', 'is flaky']],
    ['Errors outside of tests', ['afterAll hook']],
  ] as const) {
    await page.getByRole('button', { name }).click()
    await expect.poll(() => steps.count()).toBe(shown.length)
    for (const [index, step] of shown.entries()) expect(await steps.nth(index).innerText()).toContain(step)
    await page.getByRole('button', { name }).click()
  }
})

it('counts the results of tests at the head of the build, each count leading to those tests', async () => {
  await page.goto(`${service.url}/runs?group=${run.metadata['group']}`)
  await page.getByRole('link', { name: '1 failed' }).waitFor()
  await page.getByRole('link', { name: '1 passed on a retry' }).waitFor()
  await page.getByRole('link', { name: '1 skipped' }).click()
  await page.waitForURL(/\?tab=tests&outcome=skipped$/)
  const tests = page.getByRole('list', { name: 'Tests' }).getByRole('listitem')
  await expect.poll(() => tests.allInnerTexts().then((texts) => texts.join())).toContain('is skipped')
})
