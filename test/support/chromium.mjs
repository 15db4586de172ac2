import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { findProgram } from './find-program.mjs'

const require = createRequire(import.meta.url)

/**
 * Finds the Chromium that tests drive: the one of `CHROMIUM_PATH`, else the one that Playwright installed, else one in `PATH`.
 * Debian's headless shell, like Playwright's, needs a third of the CPU time, because the browser loads two pages of its own in each window.
 * @returns {string | undefined} Its path.
 */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH
  const own = require('playwright-core').chromium.executablePath()
  const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  return existsSync(own) ? own : findProgram(...programs)
}

/** @returns {Promise<import('playwright-core').Browser>} */
export function launchChromium() {
  const executablePath = findChromium()
  return require('playwright-core').chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--no-sandbox'],
  })
}
