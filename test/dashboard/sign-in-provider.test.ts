// @module-tag chromium
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findFreePort } from '../../packages/server/src/testing/find-free-port'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../packages/server/src/testing/openid-provider'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { PageInspector, WIDTHS } from './page-inspector'

let service: Service
let provider: OpenIdProvider
let browser: Browser
let page: Page

beforeAll(async () => {
  const port = await findFreePort()
  provider = await startOpenIdProvider({ serviceUrl: `http://127.0.0.1:${port}`, hasPages: true })
  provider.accounts.set('alice', { name: 'Alice', groups: ['developers'] })
  const issuer = ['--oidc-issuer', provider.issuer, '--oidc-client-id', CLIENT_ID]
  service = await startService({
    args: ['--port', String(port), ...issuer, '--oidc-roles', 'admin=leads;member=developers'],
    env: { RUNLEDGER_OIDC_CLIENT_SECRET: CLIENT_SECRET, RUNLEDGER_OIDC_NAME: 'Example "Inc" & <Co>' },
  })
  browser = await launchChromium()
  page = await browser.newPage()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
  await provider?.stop()
})

const signInLink = () => page.getByRole('link', { name: 'Sign in with Example "Inc" & <Co>' })

it('leads to the provider, and back to the page that was asked for', async () => {
  await page.goto(`${service.url}/runs?outcome=FAIL`)
  await signInLink().click()
  await page.getByPlaceholder('Enter any login').fill('alice')
  await page.getByPlaceholder('and password').fill('any')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${service.url}/runs?outcome=FAIL`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await page.goto(`${service.url}/manage/people`)
  await page.getByText('member').first().waitFor()
})

it('ends at the provider too', async () => {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${service.url}/sign-in*`)
  await page.goto(`${service.url}/runs`)
  await signInLink().click()
  await page.getByPlaceholder('Enter any login').waitFor()
})

it('says that it was cancelled, and still takes a key', async () => {
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('alert').getByText('You did not sign in').waitFor()
  await page.getByText('Sign in with an API key').click()
  await page.getByLabel('API key', { exact: true }).fill(service.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${service.url}/runs`)
})

it('says that an account without a role may not use the service', async () => {
  provider.accounts.set('guest', { groups: ['guests'] })
  page = await browser.newPage()
  await page.goto(`${service.url}/sign-in`)
  await signInLink().click()
  await page.getByPlaceholder('Enter any login').fill('guest')
  await page.getByPlaceholder('and password').fill('any')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').getByText('none of its groups has a role').waitFor()
})

it('shows its page in both themes and widths, and axe finds nothing wrong', async () => {
  const inspector = await PageInspector.start(service)
  const open = async (one: Page) => {
    await one.goto(`${service.url}/sign-in?failed=cancelled`)
    await one.getByRole('alert').waitFor()
  }
  for (const width of WIDTHS)
    expect(await inspector.inspect('sign in at a provider', width, { open, isOpen: true })).toEqual([])
  await inspector.stop()
})
