// Brings what a fresh clone lacks, and skips what is there. Loads Node's own modules only: it runs before installation.
//   node scripts/prepare.mjs [--browser] [--frameworks | --newest-frameworks] [--build] [--package-managers]: the packages
//   of the lockfile, and what else is asked for
import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { isBuilt } from './build-stamp.mjs'
import { ensureChromium } from './ensure-chromium.mjs'

const repository = path.resolve(import.meta.dirname, '..')

/**
 * Installs the packages of the lockfile. On request also finds or installs a Chromium, installs the framework versions that
 * tests and benches run (or only the newest of each), builds the packages if a source is newer than the last build, and installs what is built with every
 * package manager.
 * @param {Record<'browser' | 'frameworks' | 'newest-frameworks' | 'build' | 'package-managers', boolean | undefined>} [needs]
 */
export function prepare(needs = {}) {
  const {
    browser,
    frameworks,
    'newest-frameworks': newest,
    build,
    'package-managers': packageManagers,
  } = needs
  installPackages()
  if (browser) ensureChromium()
  if (frameworks) execute(process.execPath, ['test/support/install-frameworks.mjs'])
  if (newest) execute(process.execPath, ['test/support/install-frameworks.mjs', '--newest'])
  if (build && !isBuilt()) execute(process.execPath, ['scripts/build.mjs'])
  if (packageManagers) execute(process.execPath, ['test/support/install-package-managers.mjs'])
}

function installPackages() {
  const installed = path.join(repository, 'node_modules/.package-lock.json')
  const lockfile = path.join(repository, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return
  console.error('installing packages')
  execute('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
}

/**
 * Runs a command. When it fails, it has said why: this process ends with its exit code. Standard output is for the result
 * of the script that is prepared.
 */
function execute(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: repository, stdio: ['inherit', 2, 'inherit'] })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

if (existsSync(process.argv[1] ?? '') && realpathSync(process.argv[1]) === import.meta.filename) {
  const flag = /** @type {const} */ ({ type: 'boolean' })
  const names = ['browser', 'frameworks', 'newest-frameworks', 'build', 'package-managers']
  prepare(parseArgs({ options: Object.fromEntries(names.map((name) => [name, flag])) }).values)
}
