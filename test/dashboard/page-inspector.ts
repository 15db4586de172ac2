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

interface Look {
  width: number
  theme: 'light' | 'dark'
}

/** How far a page may move while it comes. */
export const MAX_SHIFT = 0.05

/** A script that sums what moved without anybody's doing, in `window.shift`. */
export const WATCH_SHIFTS = `window.shift = 0
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
}).observe({ type: 'layout-shift', buffered: true })`

/** Both widths in both themes. */
export const LOOKS: Look[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ width, theme })),
)

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
    const context = await this.browser.newContext({ ...options, storageState: this.storageState })
    return context.newPage()
  }

  /** What axe finds wrong with an open page as it is. */
  async look(name: string, page: Page): Promise<string[]> {
    if (FOLDER !== undefined) await page.screenshot({ path: path.join(FOLDER, `${name}.png`) })
    return findViolations(page, this.axe)
  }

  /** What axe finds wrong with a page. */
  async inspect(name: string, { width, theme }: Look, { open, isOpen = false }: Visit): Promise<string[]> {
    const context = await this.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
      reducedMotion: 'reduce',
      ...(isOpen ? {} : { storageState: this.storageState }),
    })
    const page = await context.newPage()
    await open(page)
    // Lazy ones out of sight come when they are scrolled to: showAll waits for all.
    await waitForImages(page, 'img:not([loading=lazy])')
    const picture = path.join(FOLDER ?? '', `${name.replaceAll(' ', '-')}-${width}-${theme}`)
    if (FOLDER !== undefined) await page.screenshot({ path: `${picture}.png` })
    await showAll(page, width)
    if (FOLDER !== undefined) await page.screenshot({ path: `${picture}-whole.png` })
    const violations = await findViolations(page, this.axe)
    await context.close()
    return violations
  }
}

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary?: string }[]
}

/** What axe finds wrong with a page, each with where it is. */
async function findViolations(page: Page, axe: string): Promise<string[]> {
  await page.evaluate(axe)
  const found = await page.evaluate<Violation[]>('axe.run(document).then(({ violations }) => violations)')
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
