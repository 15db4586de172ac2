import type { BrowserContext, Page } from 'playwright-core'
import type { Service } from '../support/service'

/** A signed-in page of the dashboard, in a context or in a browser. */
export async function openSignedIn(opener: Pick<BrowserContext, 'newPage'>, service: Service): Promise<Page> {
  const page = await opener.newPage()
  await page.goto(service.signInUrl)
  await page.waitForURL(({ pathname }) => pathname === '/')
  return page
}
