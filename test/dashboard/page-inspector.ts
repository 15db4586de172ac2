import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import type { Service } from '../support/service'
import { openSignedIn } from './open-page'

/** Where pictures are kept; none are kept without it. */
const FOLDER = process.env['SCREENSHOTS']

export interface Visit {
  open: (page: Page) => Promise<void>
  /** Whether it is for who has not signed in. */
  isOpen?: boolean
}

/** How far a page may move while it comes. */
const MAX_SHIFT = 0.05

/** A script that sums layout shifts in `window.shift` until the first click or key, because a click may open content late. */
const WATCH_SHIFTS = `window.shift = 0
let inputAt = Infinity
for (const type of ['pointerdown', 'keydown'])
  addEventListener(type, ({ timeStamp }) => (inputAt = Math.min(inputAt, timeStamp)), true)
new PerformanceObserver((list) => {
  for (const { startTime, value } of list.getEntries()) if (startTime < inputAt) window.shift += value
}).observe({ type: 'layout-shift', buffered: true })`

/** The widths of a desktop and of a phone. */
export const WIDTHS = [1280, 390]

/**
 * Looks at pages of a service: axe checks them, and, where `SCREENSHOTS` names a folder, a picture of each is kept in it
 * (`npm run screenshots`).
 */
export class PageInspector {
  private constructor(
    private readonly browser: Browser,
    private readonly storageState: NonNullable<BrowserContextOptions['storageState']>,
    private readonly axe: string,
  ) {}

  static async start(service: Service): Promise<PageInspector> {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    if (FOLDER !== undefined) await mkdir(FOLDER, { recursive: true })
    const browser = await launchChromium()
    const context = await browser.newContext()
    await openSignedIn(context, service)
    const storageState = await context.storageState()
    await context.close()
    return new PageInspector(browser, storageState, axe)
  }

  stop(): Promise<void> {
    return this.browser.close()
  }

  /** A signed-in page in a context of its own. */
  async openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ storageState: this.storageState, ...options })
    return context.newPage()
  }

  /** What axe finds wrong with an open page as it is. */
  async look(name: string, page: Page): Promise<string[]> {
    if (FOLDER !== undefined) await page.screenshot({ path: path.join(FOLDER, `${name}.png`) })
    await page.evaluate(this.axe)
    return findViolations(page)
  }

  /**
   * Lists the faults of a page at this width: those that axe finds in each theme, layout shifts while it loads, and a page that is wider
   * than its window.
   */
  async inspect(name: string, width: number, { open, isOpen = false }: Visit): Promise<string[]> {
    const context = await this.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
      ...(isOpen ? {} : { storageState: this.storageState }),
    })
    const page = await context.newPage()
    await page.addInitScript(WATCH_SHIFTS)
    await open(page)
    // Lazy ones out of sight come when they are scrolled to: showAll waits for all.
    await waitForImages(page, 'img:not([loading=lazy])')
    const faults = await findFaultsOfLayout(page)
    const picture = path.join(FOLDER ?? '', `${name.replaceAll(' ', '-')}-${width}`)
    await takePictures(page, (theme) => `${picture}-${theme}.png`)
    await showAll(page, width)
    await takePictures(page, (theme) => `${picture}-${theme}-whole.png`)
    await page.evaluate(this.axe)
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      const violations = await findViolations(page, theme === 'light' ? undefined : RULES_OF_COLOURS)
      for (const violation of violations) faults.push(`${theme}: ${violation}`)
    }
    await context.close()
    return faults
  }
}

const THEMES = ['light', 'dark'] as const

/** The rules of axe that depend on colours: themes differ in nothing else. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

async function takePictures(page: Page, nameFile: (theme: string) => string): Promise<void> {
  if (FOLDER === undefined) return
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme })
    await page.screenshot({ path: nameFile(theme) })
  }
}

async function findFaultsOfLayout(page: Page): Promise<string[]> {
  const shift = await page.evaluate<number>('window.shift')
  const excess = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  return [
    ...(shift > MAX_SHIFT ? [`it moves by ${shift}`] : []),
    ...(excess > 0 ? [`it is ${excess} pixels wider than its window`] : []),
  ]
}

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary?: string }[]
}

/** What axe, which the page has loaded, finds wrong with it, each with where it is. */
async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}\n${failureSummary}`),
  )
}

const MAX_HEIGHT = 12_000

/** Makes the window as high as the page, so that all of it is rendered, pictures too. */
async function showAll(page: Page, width: number): Promise<void> {
  await page.evaluate('window.scrollTo(0, 0)')
  const readHeight = () => page.evaluate<number>('document.documentElement.scrollHeight')
  await expect
    .poll(async () => {
      await page.setViewportSize({ width, height: Math.min(await readHeight(), MAX_HEIGHT) })
      const height = await readHeight()
      return height <= (page.viewportSize()?.height ?? 0) || height > MAX_HEIGHT
    })
    .toBe(true)
  await waitForImages(page, 'img')
}

async function waitForImages(page: Page, selector: string): Promise<void> {
  const haveCome = `[...document.querySelectorAll('${selector}')].every(({ complete }) => complete)`
  await expect.poll(() => page.evaluate(haveCome), { timeout: 30_000 }).toBe(true)
}
