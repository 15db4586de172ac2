// Finds a Chromium for Playwright, or gets one, and says which.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const SYSTEM_CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Finds or gets a Chromium and sets `CHROMIUM_PATH` for this process's children, unless it is Playwright's own. */
export function ensureChromium() {
  const found = findChromium() ?? getChromium()
  console.error(`browser: ${found.path} (${found.origin})`)
  if (found.origin !== 'installed by Playwright') process.env.CHROMIUM_PATH = found.path
}

/** @returns {{ path: string, origin: string } | undefined} */
function findChromium() {
  const named = process.env.CHROMIUM_PATH
  if (named) return { path: named, origin: 'CHROMIUM_PATH' }
  const own = findPlaywrightChromium()
  if (own) return { path: own, origin: 'installed by Playwright' }
  const system = SYSTEM_CHROMIUM.find((file) => existsSync(file))
  return system && { path: system, origin: 'system' }
}

function findPlaywrightChromium() {
  const script = "console.log(require('playwright-core').chromium.executablePath())"
  const result = spawnSync(process.execPath, ['-e', script], { cwd: repository, encoding: 'utf8' })
  const file = result.stdout?.trim()
  return file && existsSync(file) ? file : undefined
}

function getChromium() {
  const own = spawnSync('npx', ['playwright', 'install', 'chromium'], {
    cwd: repository,
    stdio: 'ignore',
    timeout: 240_000,
  })
  const installed = own.status === 0 ? findPlaywrightChromium() : undefined
  if (installed) return { path: installed, origin: 'installed by Playwright' }
  if (process.getuid?.() === 0) installDebianChromium()
  const system = SYSTEM_CHROMIUM.find((file) => existsSync(file))
  if (system) return { path: system, origin: 'Debian package, just installed' }
  throw new Error('no Chromium: run npx playwright install chromium, or set CHROMIUM_PATH to one')
}

function installDebianChromium() {
  console.error('installing Debian’s chromium')
  const options = { stdio: /** @type {const} */ ('ignore') }
  execFileSync('apt-get', ['update'], options)
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'ffmpeg'], options)
}
