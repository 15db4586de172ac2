// @module-tag chromium
import type { RunDetail } from '@runledger/protocol'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { createProject, listVersions, type Project } from '../support/project'
import { startService, type Service } from '../support/service'
import { openSignedIn } from './open-page'
import { PageInspector, WIDTHS } from './page-inspector'

const CONFIG = `
  import { defineConfig } from '@playwright/test'
  export default defineConfig({
    reporter: [['@runledger/playwright']],
    use: { trace: 'on', launchOptions: { executablePath: process.env.CHROMIUM_PATH } },
  })
`

/** What a page of an attacker tries; it shows what it got. */
const HOSTILE = `<!doctype html><html lang="en"><title>Report</title><h1>Report</h1><output></output><script>
  const attempt = async (name, work) => {
    try { got[name] = String(await work()) } catch (error) { got[name] = error.name }
  }
  const got = {}
  const service = new URLSearchParams(location.hash.slice(1)).get('service')
  const read = async (address) => (await fetch(address, { credentials: 'include' })).text()
  const main = async () => {
    await attempt('origin', () => self.origin)
    await attempt('opener', () => window.opener)
    await attempt('cookie', () => document.cookie)
    await attempt('set cookie', () => { document.cookie = 'a=b'; return document.cookie })
    await attempt('localStorage', () => localStorage.length)
    await attempt('indexedDB', () => new Promise((resolve, reject) => {
      const request = indexedDB.open('x')
      request.onsuccess = () => resolve('opened')
      request.onerror = () => reject(request.error)
    }))
    await attempt('service worker', () => navigator.serviceWorker.register('/trace-viewer/sw.bundle.js'))
    await attempt('interface', () => read(service + '/v2/runs'))
    await attempt('own address', () => read(location.href.replace(/#.*/, '')))
    await attempt('viewer', () => read('/trace-viewer/index.html'))
    await attempt('picture', () => new Promise((resolve, reject) => {
      const image = new Image()
      image.onload = () => resolve('loaded')
      image.onerror = () => reject(new Error('blocked'))
      image.src = service + '/favicon.svg'
    }))
    document.querySelector('output').textContent = JSON.stringify(got)
  }
  main()
</script></html>`

const SUITE = `
  import { expect, test } from '@playwright/test'
  test('greets', async ({ page }, testInfo) => {
    await testInfo.attach('report.html', { body: ${JSON.stringify(HOSTILE)}, contentType: 'text/html' })
    await page.setContent('<h1>Hello</h1><button>Greet</button>')
    await page.getByRole('button', { name: 'Greet' }).click()
    await expect(page.getByRole('heading')).toHaveText('Goodbye', { timeout: 200 })
  })
`

const VERSIONS = listVersions('playwright')

let service: Service
let browser: Browser
let context: BrowserContext
const projects: Project[] = []
const runs = new Map<string, RunDetail>()

beforeAll(async () => {
  service = await startService()
  for (const version of VERSIONS) {
    const files = { 'playwright.config.ts': CONFIG, 'hello.spec.ts': SUITE }
    const project = await createProject({ framework: 'playwright', version, files })
    projects.push(project)
    const { exitCode, stdout, stderr } = await project.run({ service })
    expect(exitCode, stdout + stderr).toBe(1)
    const [run] = await service.listRuns('&sort_by=created_at&sort_order=desc')
    runs.set(version, await service.readRun(run?.id ?? ''))
  }
  browser = await launchChromium()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await (await openSignedIn(context, service)).close()
})

afterAll(async () => {
  await browser?.close()
  for (const project of projects) await project.remove()
  await service?.stop()
})

const newest = (): RunDetail => runs.get(VERSIONS.at(-1) as string) as RunDetail
const openUrl = (run: RunDetail, end: string) =>
  new URL(run.attachments.find(({ name }) => name.endsWith(end))?.open_url ?? '')

async function createSignInUrl(): Promise<string> {
  const response = await fetch(`${service.url}/v2/sign-in-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: '{}',
  })
  return ((await response.json()) as { url: string }).url
}

async function openRun(run: RunDetail): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${service.url}/runs/${run.id}`)
  return page
}

/** Clicks a link and returns the tab that it opens. */
async function openTab(page: Page, name: RegExp): Promise<Page> {
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name }).first().click()
  return opened
}

describe('a trace', () => {
  it.each(VERSIONS)('of Playwright %s opens in one click, with its actions and its page', async (version) => {
    const page = await openRun(runs.get(version) as RunDetail)
    const viewer = await openTab(page, /^Open trace/)
    expect(new URL(viewer.url()).origin).not.toBe(service.url)
    const actions = viewer.getByRole('tree', { name: /actions/i }).or(viewer.getByTestId('actions-tree'))
    await actions.getByText(/click/i).first().waitFor()
    await actions
      .getByText(/toHaveText/)
      .first()
      .click()
    const snapshot = viewer.frameLocator('iframe.snapshot-visible')
    await snapshot.getByRole('button', { name: 'Greet' }).waitFor()
    await viewer.close()
    await page.close()
  })

  it('opens by its address alone, and not by one that was altered', async () => {
    const stranger = await browser.newContext()
    const url = openUrl(newest(), 'trace.zip')
    const page = await stranger.newPage()
    await page.goto(url.href)
    await page
      .getByText(/toHaveText/)
      .first()
      .waitFor()
    url.searchParams.set('trace', `${url.searchParams.get('trace')}x`)
    await page.goto(url.href)
    await page.getByRole('alert').filter({ hasText: 'Could not load trace' }).waitFor()
    await stranger.close()
  })

  it('gives scripts of its origin neither the session nor the interface', async () => {
    const viewer = await context.newPage()
    await viewer.goto(openUrl(newest(), 'trace.zip').href)
    const path = new URL(newest().attachments[0]?.download_url ?? '').pathname
    const got = await viewer.evaluate<unknown>(`(async () => {
      const answer = (address) =>
        fetch(address, { credentials: 'include', headers: { 'x-pw-serviceworker': 'skip' } }).then(
          ({ status }) => status,
          ({ name }) => name,
        )
      return {
        cookie: document.cookie,
        opener: String(window.opener),
        interface: await answer('${service.url}/v2/runs'),
        'interface on this origin': await answer('/v2/runs'),
        'attachment without a signature': await answer('${path}'),
      }
    })()`)
    expect(got).toEqual({
      cookie: '',
      opener: 'null',
      interface: 'TypeError',
      'interface on this origin': 404,
      'attachment without a signature': 403,
    })
    await viewer.close()
  })
})

describe('a page among the attachments', () => {
  it('opens in one click and runs its scripts, which get nothing', async () => {
    const page = await openRun(newest())
    const link = page.getByRole('link', { name: /^Open report\.html/ }).first()
    await link.evaluate(`(anchor) => { anchor.href += '#service=${service.url}' }`)
    const opened = await openTab(page, /^Open report\.html/)
    await opened.getByRole('heading', { name: 'Report' }).waitFor()
    await expect.poll(() => opened.locator('output').textContent()).not.toBe('')
    expect(JSON.parse((await opened.locator('output').textContent()) ?? '')).toEqual({
      origin: 'null',
      opener: 'null',
      cookie: 'SecurityError',
      'set cookie': 'SecurityError',
      localStorage: 'SecurityError',
      indexedDB: 'SecurityError',
      'service worker': 'SecurityError',
      interface: 'TypeError',
      'own address': 'TypeError',
      viewer: 'TypeError',
      picture: 'Error',
    })
    await opened.close()
    await page.close()
  })

  it('cannot be framed, and is only a download on the service’s own origin', async () => {
    const { download_url: download } =
      newest().attachments.find(({ name }) => name.endsWith('report.html')) ?? {}
    const { headers } = await fetch(download ?? '')
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
    const opened = await fetch(openUrl(newest(), 'report.html'))
    expect(opened.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'; sandbox allow-/)
    expect(opened.headers.get('content-security-policy')).not.toContain('allow-same-origin')
  })
})

describe('the page of the run', () => {
  it('says that the origin of files cannot be reached, and how to open a trace all the same', async () => {
    const page = await context.newPage()
    const { origin } = openUrl(newest(), 'trace.zip')
    await page.route(`${origin}/**`, (route) => route.abort())
    await page.goto(`${service.url}/runs/${newest().id}`)
    await page.getByText(`Your browser cannot reach ${origin}`).first().waitFor()
    expect(await page.getByRole('link', { name: /^Open trace/ }).count()).toBe(0)
    await page.getByText('npx playwright show-trace').first().waitFor()
    await page.close()
  })

  it('has nothing for axe to find at any width', async () => {
    const inspector = await PageInspector.start({ ...service, signInUrl: await createSignInUrl() })
    const open = async (page: Page) => {
      await page.goto(`${service.url}/runs/${newest().id}`)
      await page
        .getByRole('link', { name: /^Open trace/ })
        .first()
        .waitFor()
      await page
        .getByRole('link', { name: /^Open report/ })
        .first()
        .waitFor()
    }
    for (const width of WIDTHS)
      expect(await inspector.inspect('open-attachments', width, { open })).toEqual([])
    await inspector.stop()
  })
})
