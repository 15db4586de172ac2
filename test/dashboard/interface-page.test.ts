// @module-tag chromium
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '@runledger/protocol'
import { launchChromium } from '../support/chromium.mjs'
import { startService, type Service } from '../support/service'
import { openSignedIn } from './open-page'

let service: Service
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  service = await startService()
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await openSignedIn(context, service)
  await page.close()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function openOperation(operation: string, on = context): Promise<Page> {
  const page = await on.newPage()
  await page.goto(`${service.url}/interface#${operation}`)
  await page.getByRole('form', { name: `Try ${operation}` }).waitFor()
  return page
}

function formOf(page: Page, operation: string) {
  return page.getByRole('form', { name: `Try ${operation}` })
}

async function readResponse(page: Page): Promise<{ head: string; body: unknown }> {
  const answer = page.getByRole('status', { name: 'Answer' })
  await answer.waitFor()
  const text = await answer.getByLabel('Body of the response').innerText()
  return { head: await answer.locator('p').first().innerText(), body: JSON.parse(text) as unknown }
}

describe('the page of the API', () => {
  it('is reached from the header and has every operation of the description', async () => {
    const description = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApiDocument
    const operations = Object.entries(description.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    const page = await context.newPage()
    await page.goto(`${service.url}/runs`)
    await page.getByRole('link', { name: 'API' }).click()
    await page.getByRole('heading', { name: 'API', level: 1 }).waitFor()
    const shown = await page
      .locator('details > summary:has(code)')
      .evaluateAll((summaries) =>
        summaries.map((summary) => `${summary.children[0]?.textContent} ${summary.children[1]?.textContent}`),
      )
    expect(shown.sort()).toEqual(operations.sort())
    await page.close()
  })

  it('finds operations by their words, and says so when none has them', async () => {
    const page = await context.newPage()
    await page.goto(`${service.url}/interface`)
    await page.getByLabel('Find an operation').fill('patch runs')
    await page.getByText('/v2/runs/{id}', { exact: true }).waitFor()
    expect(await page.getByText('/v2/procedures', { exact: true }).count()).toBe(0)
    await page.getByLabel('Find an operation').fill('nothing like it')
    await page.getByText('No operation has these words').waitFor()
    await page.close()
  })

  it('says what an operation takes and answers, who may use it, and its errors', async () => {
    const page = await openOperation('createV1Run')
    const operation = page.locator('#createV1Run')
    const text = await operation.innerText()
    for (const part of ['unit_under_test', 'required', 'boolean', 'Idempotency-Key', 'string, duration'])
      expect(text).toContain(part)
    expect(text).toContain(
      'User keys of members and admins; station keys for procedures that are linked to the station, project keys for their own.',
    )
    for (const status of ['400', '401', '403', '404', '409', '413', '415', '422', '500', '503'])
      expect(text).toContain(status)
    expect(text).toContain("curl -X POST '")
    await page.close()
  })

  it('sends a GET with the session, and shows status, time and answer', async () => {
    const page = await openOperation('listProcedures')
    const form = formOf(page, 'listProcedures')
    await form.getByLabel('limit').fill('1')
    await form.getByRole('button', { name: 'Send' }).click()
    const { head, body } = await readResponse(page)
    expect(head).toMatch(/200 OK/)
    expect(head).toMatch(/\d+ ms/)
    expect(body).toMatchObject({ data: [{ id: expect.any(String) as unknown }], meta: {} })
    await page.close()
  })

  it('sends what changes something only with a key that is typed, and keeps that key nowhere', async () => {
    const page = await openOperation('createProcedure')
    const form = formOf(page, 'createProcedure')
    const send = form.getByRole('button', { name: 'Send' })
    expect(await send.isDisabled()).toBe(true)
    await page.getByLabel('API key to try with').fill(service.apiKey)
    await form.getByLabel('Body').fill('{"name":"Made on the page","identifier":"PAGE-1"}')
    await send.click()
    const { head, body } = await readResponse(page)
    expect(head).toMatch(/200 OK/)
    expect(body).toMatchObject({ id: expect.any(String) as unknown })
    const line = await page
      .locator('#createProcedure')
      .getByLabel('Line for curl', { exact: true })
      .innerText()
    expect(line).toContain('"Authorization: Bearer $RUNLEDGER_API_KEY"')
    expect((await page.content()).includes(service.apiKey)).toBe(false)
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    )
    expect(kept).not.toContain(service.apiKey)
    await page.reload()
    expect(await page.getByLabel('API key to try with').inputValue()).toBe('')
    await page.close()
  })

  it('shows a refusal as it is', async () => {
    const page = await openOperation('getRun')
    const form = formOf(page, 'getRun')
    const send = form.getByRole('button', { name: 'Send' })
    expect(await send.isDisabled()).toBe(true)
    await form.getByLabel(/^id/).fill('01985a5e-0000-7000-8000-000000000000')
    await send.click()
    const { head, body } = await readResponse(page)
    expect(head).toMatch(/404 Not Found/)
    expect(body).toMatchObject({ code: 'NOT_FOUND' })
    await page.close()
  })

  it('can be read without signing in', async () => {
    const stranger = await browser.newContext()
    const page = await openOperation('getHealth', stranger)
    await formOf(page, 'getHealth').getByRole('button', { name: 'Send' }).click()
    expect((await readResponse(page)).body).toMatchObject({ status: 'ok' })
    await stranger.close()
  })

  it.each([390, 1280])('is never wider than a window of %i pixels', async (width) => {
    const narrow = await browser.newContext({ viewport: { width, height: 800 } })
    const page = await openOperation('createRun', narrow)
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(overflow).toBeLessThanOrEqual(0)
    await narrow.close()
  })
})
