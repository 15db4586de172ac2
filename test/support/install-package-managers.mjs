// The install step of test/packaging/package-managers.test.ts: packs what is published, and installs the tarballs beside the
// frameworks with each package manager, into .cache/package-managers/. Needs a build; skips what has these tarballs already.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

// pnpm's own package brings these binaries by an install script, which npm 12 does not run.
const PNPM = `@pnpm/exe.${process.platform}-${process.arch}`
const TOOLS = { [PNPM]: '12.21.0', '@yarnpkg/cli-dist': '4.18.1' }
const FRAMEWORKS = { jest: 'jest', vitest: 'vitest', playwright: '@playwright/test' }
/** What users install; it depends on the others. */
const INSTALLED = ['runledger', '@runledger/jest', '@runledger/vitest', '@runledger/playwright']
const DEPENDED_ON = ['@runledger/core', '@runledger/protocol', '@runledger/server']

const repository = path.resolve(import.meta.dirname, '../..')
const cache = path.join(repository, '.cache/package-managers')
const tarballs = path.join(cache, 'tarballs')
const tools = path.join(cache, 'tools/node_modules')

pack()
const dependencies = { ...listFrameworks(), ...listTarballs(INSTALLED) }
const project = { name: 'project', version: '1.0.0', private: true, dependencies }
// No registry has ours. The root package holds others where all their platform packages can be fetched.
const overrides = { ...readJson('package.json').overrides, ...listTarballs(DEPENDED_ON) }

install('tools', ['npm', 'install', '--loglevel=error'], {
  'package.json': { private: true, dependencies: TOOLS },
})
install('npm', ['npm', 'install', '--ignore-scripts', '--loglevel=error'], {
  'package.json': { ...project, overrides },
})
install('pnpm', [path.join(tools, PNPM, 'pnpm'), 'install'], {
  'package.json': project,
  'pnpm-workspace.yaml': { overrides, allowBuilds: refuseBuilds() },
})
for (const nodeLinker of ['node-modules', 'pnp'])
  install(`yarn-${nodeLinker}`, [path.join(tools, '.bin/yarn'), 'install', '--no-immutable'], {
    'package.json': { ...project, resolutions: overrides },
    '.yarnrc.yml': { nodeLinker, enableScripts: false, enableTelemetry: false },
  })

function pack() {
  rmSync(tarballs, { recursive: true, force: true })
  mkdirSync(tarballs, { recursive: true })
  const workspaces = [...INSTALLED, ...DEPENDED_ON].flatMap((name) => ['-w', name])
  execFileSync('npm', ['pack', ...workspaces, '--pack-destination', tarballs, '--silent'], {
    cwd: repository,
  })
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

/** @param {string[]} names */
function listTarballs(names) {
  const files = readdirSync(tarballs)
  return Object.fromEntries(
    names.map((name) => {
      const start = `${name.replace('@', '').replace('/', '-')}-`
      const file = files.find((found) => found.startsWith(start) && /^\d/.test(found.slice(start.length)))
      return [name, `file:../tarballs/${file}`]
    }),
  )
}

/** pnpm 11 and later end with 1 for an install script that is neither allowed nor refused. Nothing here needs one. */
function refuseBuilds() {
  return Object.fromEntries(
    ['@photostructure/sqlite', '@parcel/watcher', 'unrs-resolver'].map((name) => [name, false]),
  )
}

/**
 * Installs into a folder of these files, as JSON, which is YAML too, unless it has them and the same tarballs already.
 * @param {string} name @param {string[]} command @param {Record<string, object>} files
 */
function install(name, [command, ...args], files) {
  const folder = path.join(cache, name)
  const stamp = path.join(folder, 'installed.json')
  const wanted = JSON.stringify({ command: args, files, tarballs: name === 'tools' ? [] : hashTarballs() })
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.log(`installing the packed tarballs: ${name}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, content] of Object.entries(files))
    writeFileSync(path.join(folder, file), JSON.stringify(content, null, 2))
  // Keeps Yarn from taking the repository for the project.
  if (name.startsWith('yarn')) writeFileSync(path.join(folder, 'yarn.lock'), '')
  // What it prints is part of the error when it fails.
  execFileSync(command, args, { cwd: folder, env: createEnv(), encoding: 'utf8' })
  writeFileSync(stamp, wanted)
}

/** Yarn reads no .npmrc: it is told the registry of npm. */
function createEnv() {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  return { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1', YARN_NPM_REGISTRY_SERVER: registry }
}

function hashTarballs() {
  const bytes = readdirSync(tarballs).map((file) => readFileSync(path.join(tarballs, file)))
  return createHash('sha256').update(Buffer.concat(bytes)).digest('hex')
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(path.join(repository, file), 'utf8'))
}
