// @module-tag chromium
// @module-tag glewlwyd
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findFreePort } from '../../packages/server/src/testing/find-free-port'
import { startTestServer, type TestServer } from '../../packages/server/src/testing/start-test-server'
import { launchChromium } from '../support/chromium.mjs'
import { type Glewlwyd, startGlewlwyd } from '../support/glewlwyd'

const BOB = { username: 'bob', password: 'the password of Bob', name: 'Bob', email: 'bob@example.com' }

let server: TestServer
let provider: Glewlwyd
let browser: Browser
let page: Page

beforeAll(async () => {
  const port = await findFreePort()
  provider = await startGlewlwyd(`http://127.0.0.1:${port}`)
  await provider.putUser({ ...BOB, groups: ['developers', 'staff'] })
  const oidcRoles = 'admin=leads;member=developers;viewer=staff'
  const flags = { port, oidcIssuer: provider.issuer, oidcClientId: provider.clientId, oidcRoles }
  server = await startTestServer(flags, { env: { RUNLEDGER_OIDC_CLIENT_SECRET: provider.clientSecret } })
  browser = await launchChromium()
  page = await browser.newPage()
})

afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await provider?.stop()
})

async function signIn(): Promise<void> {
  await page.goto(`${server.url}/manage/sessions`)
  await page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).click()
  await provider.signIn(page, BOB.username, BOB.password)
  await page.waitForURL(`${server.url}/manage/sessions`)
}

/** The session that the page lists. */
async function readSession(): Promise<string> {
  await page.goto(`${server.url}/manage/sessions`)
  const session = page.getByRole('listitem', { name: /this session$/ })
  return (await session.innerText()).replaceAll(/\s+/g, ' ')
}

it('signs in with the role of the groups, which changes with them', async () => {
  await signIn()
  expect(await readSession()).toMatch(/Role member Opened by the sign-in provider/)
  await provider.putUser({ ...BOB, groups: ['staff'] })
  server.advance(299)
  expect(await readSession()).toContain('Role viewer')
})

it('signs out at the provider too, which leads back', async () => {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL(`${server.url}/sign-in*`)
  await page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).waitFor()
})

it('ends within 5 minutes after the account is deleted', async () => {
  await signIn()
  await provider.deleteUser(BOB.username)
  server.advance(299)
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
