// The install step of the tests: every framework version of framework-versions.json, and request mockers, into .cache/, once.
//   --newest: only each framework's newest version, and its newest one that runs on the oldest Node that we support
//   --every-node: Node 22, 24 and 26 too
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const cache = path.join(repository, '.cache')
const versions = JSON.parse(readFileSync(new URL('./framework-versions.json', import.meta.url), 'utf8'))

/** @param {string} folder @param {Record<string, string>} dependencies */
function installInto(folder, dependencies) {
  const wanted = JSON.stringify({ private: true, dependencies }, null, 2)
  const stamp = path.join(folder, 'installed.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.log(
    `installing ${Object.entries(dependencies)
      .map((entry) => entry.join('@'))
      .join(', ')}`,
  )
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), wanted)
  const env = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env,
    stdio: 'inherit',
  })
  writeFileSync(stamp, wanted)
}

/** Brings a Node of a major version, as a package. @param {string} major */
function installNode(major) {
  installInto(path.join(cache, 'node', major), { [`node-${process.platform}-${process.arch}`]: major })
}

/** Puts our own built packages beside the framework, by name. @param {string} modules */
function linkOurs(modules) {
  mkdirSync(path.join(modules, '@runledger'), { recursive: true })
  for (const name of ['core', 'protocol', 'jest', 'vitest', 'playwright']) {
    const link = path.join(modules, '@runledger', name)
    rmSync(link, { force: true })
    symlinkSync(path.join(repository, 'packages', name), link, 'dir')
  }
}

// The whole conformance matrix runs on every Node that we support; everything else needs only what a release asks for.
const EVERY_NODE = ['22', '24', '26']
if (process.argv.includes('--every-node')) EVERY_NODE.forEach(installNode)

const isNewestOnly = process.argv.includes('--newest')
if (!isNewestOnly) installOthers()

for (const [framework, releases] of Object.entries(versions)) {
  for (const version of isNewestOnly ? listNewest(releases) : Object.keys(releases)) {
    const { packages, node } = releases[version]
    const folder = path.join(cache, 'frameworks', `${framework}-${version}`)
    installInto(folder, packages)
    linkOurs(path.join(folder, 'node_modules'))
    if (node) installNode(node)
  }
}

function listNewest(releases) {
  const names = Object.keys(releases)
  return [...new Set([names.findLast((name) => releases[name].node === undefined), names.at(-1)])]
}

function installOthers() {
  // Their newest releases need a newer Node than the oldest we support, so the lockfile cannot have them.
  installInto(path.join(cache, 'mockers'), { msw: '3.0.5', nock: '15.0.6' })

  // Brings a Playwright of its own, which is not among the versions that every behaviour runs with.
  const components = path.join(cache, 'frameworks/playwright-components')
  installInto(components, {
    '@playwright/experimental-ct-react': '1.62.1',
    react: '19.2.0',
    'react-dom': '19.2.0',
  })
  linkOurs(path.join(components, 'node_modules'))
}
