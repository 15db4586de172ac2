import { launchChromium } from '../support/chromium.mjs'

/**
 * A real Chromium, and a session of it that is signed in to the service of a client.
 * @param {ReturnType<typeof import('./service-client.mjs').createClient>} client
 */
export async function openBrowser(client) {
  const browser = await launchChromium()
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto((await client.json('POST', '/v2/sign-in-links', {})).url)
  await page.waitForURL(({ pathname }) => pathname === '/')
  const storageState = await context.storageState()
  await context.close()
  return { browser, storageState }
}

export const ANSWERED = 'window.answeredAtMs'

/**
 * Runs in the page: a promise of when this was true and the page had answered a frame after it, in milliseconds since its
 * navigation began. @param {string} isThere
 */
export function noteAnswer(isThere) {
  return `${ANSWERED} = new Promise((resolve, reject) => {
    const look = () => {
      if (${isThere}) return requestAnimationFrame(() => resolve(performance.now()))
      if (performance.now() > 60_000) return reject(new Error('the page does not show what it should'))
      requestAnimationFrame(look)
    }
    look()
  })`
}
