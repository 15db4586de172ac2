// Installs whatever a fresh clone lacks: packages, framework versions for the tests, a Chromium. Says what it chose.
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

/** @param {string} command @param {string[]} args */
function execute(command, args) {
  execFileSync(command, args, { cwd: repository, stdio: 'inherit' })
}

function installPackages() {
  const installed = path.join(repository, 'node_modules/.package-lock.json')
  const lockfile = path.join(repository, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return
  console.log('installing packages')
  // Not `npm ci`: it refuses a lockfile that lacks other platforms' optional binaries, and a registry mirror may have
  // only some of them. Versions come from the lockfile all the same, and --no-save leaves it as it is.
  execute('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'])
}

installPackages()
const { ensureChromium } = await import('./ensure-chromium.mjs')
ensureChromium()
if (process.argv.includes('--frameworks')) execute(process.execPath, ['test/support/install-frameworks.mjs'])
