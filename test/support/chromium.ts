import { existsSync } from 'node:fs'

const SYSTEM_CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The Chromium that tests drive: `CHROMIUM_PATH`, else a system one, else undefined: Playwright's own. */
export function findChromium(): string | undefined {
  return process.env['CHROMIUM_PATH'] ?? SYSTEM_CHROMIUM.find((file) => existsSync(file))
}
