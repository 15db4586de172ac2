// @module-tag chromium
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { describeRichRun, makeRun } from './made-runs'

let service: Service
let browser: Browser
let page: Page
let runId: string

beforeAll(async () => {
  service = await startService({ args: ['--anonymous-viewing'] })
  runId = await makeRun(service, describeRichRun())
  browser = await launchChromium()
  page = await browser.newPage()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

it('shows pages to anyone, and a way to sign in that leads back', async () => {
  await page.goto(`${service.url}/runs/${runId}`)
  await page.getByRole('heading', { name: 'Steps' }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('API key').fill(service.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${service.url}/runs/${runId}`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0)
})
