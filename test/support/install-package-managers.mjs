// The install step of the tests of what is published: publishes the packages to a registry on loopback, and installs them from
// there beside the frameworks with each package manager, into .cache/package-managers/. Needs a build; skips what is there of
// the same packages.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startRegistry } from './registry.mjs'

// pnpm's own package brings these binaries by an install script, which npm 12 does not run.
const PNPM = `@pnpm/exe.${process.platform}-${process.arch}`
// Verdaccio 6.9 needs Node 22.
const TOOLS = { [PNPM]: '12.21.0', '@yarnpkg/cli-dist': '4.18.1', verdaccio: '6.8.0' }
const FRAMEWORKS = { jest: 'jest', vitest: 'vitest', playwright: '@playwright/test' }
/** What users install; it depends on the others. */
const INSTALLED = ['runledger', '@runledger/jest', '@runledger/vitest', '@runledger/playwright']

const repository = path.resolve(import.meta.dirname, '../..')
const cache = path.join(repository, '.cache/package-managers')
const tools = path.join(cache, 'tools/node_modules')
const digest = hashPacked()
const { version } = readJson('packages/cli/package.json')
const VITE = readJson('package-lock.json').packages['node_modules/vite'].version
const project = {
  name: 'project',
  version: '1.0.0',
  private: true,
  dependencies: { ...listFrameworks(), ...Object.fromEntries(INSTALLED.map((name) => [name, version])) },
}

/** A folder of packages: its files as JSON, which is YAML too, and the command that installs them. */
const INSTALLS = [
  {
    name: 'npm',
    command: ['npm', 'install', '--ignore-scripts', '--loglevel=error'],
    // The root package holds others where all their platform packages can be fetched.
    files: { 'package.json': { ...project, overrides: readJson('package.json').overrides } },
  },
  {
    name: 'pnpm',
    command: [path.join(tools, PNPM, 'pnpm'), 'install'],
    files: {
      'package.json': project,
      'pnpm-workspace.yaml': { allowBuilds: refuseBuilds() },
    },
  },
  ...['node-modules', 'pnp'].map((nodeLinker) => ({
    name: `yarn-${nodeLinker}`,
    command: [path.join(tools, '.bin/yarn'), 'install', '--no-immutable'],
    files: {
      // Yarn resolves optional packages for every platform, and Vite 8.4 names one that the registry lacks.
      'package.json': { ...project, resolutions: { vite: VITE } },
      '.yarnrc.yml': {
        nodeLinker,
        enableScripts: false,
        enableTelemetry: false,
        // Of a version that was published here before, it would bring the old bytes.
        enableGlobalCache: false,
      },
    },
  })),
]

install({
  name: 'tools',
  command: ['npm', 'install', '--loglevel=error'],
  // A part of Verdaccio asks for node-fetch by a tag, `cjs`, that mirrors of the registry may lack.
  files: { 'package.json': { private: true, dependencies: TOOLS, overrides: { 'node-fetch': '2.7.0' } } },
})
const missing = INSTALLS.filter((each) => !isInstalled(each))
if (missing.length > 0) {
  const registry = await startRegistry({ isEmptied: true })
  try {
    publish(registry.env)
    for (const each of missing) install(each, registry.env)
  } finally {
    await registry.stop()
  }
}

/** As `npm run release` does it. @param {Record<string, string>} env */
function publish(env) {
  console.log('publishing the packages to a registry on loopback')
  const args = ['node_modules/@changesets/cli/bin.js', 'publish', '--no-git-tag']
  execFileSync(process.execPath, args, {
    cwd: repository,
    env: { ...process.env, ...env, CI: 'true' },
    encoding: 'utf8',
    // Shown when it fails: it warns of every package that the registry does not know yet.
    stdio: 'pipe',
  })
}

/** Changes with every byte that would be published. */
function hashPacked() {
  const folder = path.join(cache, 'packed')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const published = readdirSync(path.join(repository, 'packages'))
    .map((name) => `packages/${name}`)
    .filter((name) => existsSync(path.join(repository, name, 'package.json')))
    .filter((name) => !readJson(`${name}/package.json`).private)
  execFileSync(
    'npm',
    ['pack', ...published.flatMap((name) => ['-w', name]), '--pack-destination', folder, '--silent'],
    { cwd: repository },
  )
  const bytes = readdirSync(folder).map((file) => readFileSync(path.join(folder, file)))
  return createHash('sha256').update(Buffer.concat(bytes)).digest('hex')
}

/** The newest version of each framework that runs on the oldest Node that we support. */
function listFrameworks() {
  const versions = readJson('test/support/framework-versions.json')
  return Object.fromEntries(
    Object.entries(FRAMEWORKS).map(([framework, name]) => {
      const releases = Object.values(versions[framework]).filter(({ node }) => node === undefined)
      return [name, releases.at(-1).packages[name]]
    }),
  )
}

/** pnpm 11 and later end with 1 for an install script that is neither allowed nor refused. Nothing here needs one. */
function refuseBuilds() {
  return Object.fromEntries(
    ['@photostructure/sqlite', '@parcel/watcher', 'unrs-resolver'].map((name) => [name, false]),
  )
}

/** What an installation of these packages leaves behind, so that the next call can tell. */
function describeInstall({ name, command, files }) {
  return JSON.stringify({ command: command.slice(1), files, packed: name === 'tools' ? '' : digest })
}

function isInstalled(wanted) {
  const stamp = path.join(cache, wanted.name, 'installed.json')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === describeInstall(wanted)
}

function install(wanted, env = {}) {
  if (isInstalled(wanted)) return
  const { name, command, files } = wanted
  console.log(`installing what is published: ${name}`)
  const folder = path.join(cache, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, content] of Object.entries(files))
    writeFileSync(path.join(folder, file), JSON.stringify(content, null, 2))
  // Keeps Yarn from taking the repository for the project.
  if (name.startsWith('yarn')) writeFileSync(path.join(folder, 'yarn.lock'), '')
  // What it prints is part of the error when it fails.
  execFileSync(command[0], command.slice(1), {
    cwd: folder,
    env: { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1', ...env },
    encoding: 'utf8',
  })
  writeFileSync(path.join(folder, 'installed.json'), describeInstall(wanted))
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(path.join(repository, file), 'utf8'))
}
