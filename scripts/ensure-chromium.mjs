// Finds a Chromium for the tests, or gets one, and says which.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { findChromium } from '../test/support/chromium.mjs'

const repository = path.resolve(import.meta.dirname, '..')

/** Finds or gets a Chromium and sets `CHROMIUM_PATH` for this process's children. Tests that need one are skipped without it. */
export function ensureChromium() {
  const found = findChromium() ?? getChromium()
  if (found) process.env.CHROMIUM_PATH = found
  console.error(
    `browser: ${found ?? 'none could be installed. Run npx playwright install chromium, or set CHROMIUM_PATH'}`,
  )
}

function getChromium() {
  run('npx', ['playwright', 'install', 'chromium'])
  const own = findChromium()
  if (own || process.getuid?.() !== 0) return own
  console.error('installing Debian’s Chromium')
  run('apt-get', ['update'])
  const install = ['install', '-y', '--no-install-recommends', 'ffmpeg']
  run('apt-get', [...install, 'chromium-headless-shell'])
  // Older releases have only the whole browser.
  if (findChromium() === undefined) run('apt-get', [...install, 'chromium'])
  return findChromium()
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  spawnSync(command, args, { cwd: repository, stdio: 'ignore', timeout: 240_000 })
}
