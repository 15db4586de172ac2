// A package registry on loopback: Verdaccio, as install-package-managers.mjs brings it. What is published to it stays there;
// all else it fetches from the registry that npm is configured for, once. That one has to let everybody read.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../..')
const cache = path.join(repository, '.cache/package-managers')
const BINARY = path.join(cache, 'tools/node_modules/verdaccio/bin/verdaccio')
const STORAGE = path.join(cache, 'registry')

/** @type {typeof import('./registry.d.mts').startRegistry} */
export async function startRegistry({ isEmptied = false, isOffline = false } = {}) {
  if (isEmptied)
    for (const name of ['runledger', '@runledger', '.verdaccio-db.json'])
      rmSync(path.join(STORAGE, name), { recursive: true, force: true })
  mkdirSync(STORAGE, { recursive: true })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-registry-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/`
  const config = path.join(folder, 'registry.yaml')
  writeFileSync(config, JSON.stringify(createConfig(isOffline)))
  const args = ['--no-warnings', BINARY, '--config', config, '--listen', `127.0.0.1:${port}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  process.once('exit', () => child.kill())
  await waitFor(`${url}-/ping`, child)
  return {
    url,
    env: createEnvironment(folder, port),
    stop: async () => {
      child.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** @param {boolean} isOffline */
function createConfig(isOffline) {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const ours = { access: '$all', publish: '$all' }
  return {
    storage: STORAGE,
    uplinks: {
      // What it once fetched is good enough for a day; nothing listens on port 1.
      upstream: isOffline
        ? { url: 'http://127.0.0.1:1/', maxage: '1000d' }
        : { url: upstream, maxage: '1d', timeout: '60s' },
    },
    packages: { '@runledger/*': ours, runledger: ours, '**': { access: '$all', proxy: 'upstream' } },
    max_body_size: '100mb',
    web: { enable: false },
    log: { type: 'stdout', level: 'error' },
  }
}

/** Has npm, pnpm and Yarn use it, whatever the user's own files say of registries. @param {string} folder @param {number} port */
function createEnvironment(folder, port) {
  const url = `http://127.0.0.1:${port}/`
  const userConfig = path.join(folder, 'npmrc')
  // npm publishes to no registry that it has no token for; this one asks for none.
  const lines = [`registry=${url}`, `@runledger:registry=${url}`, `//127.0.0.1:${port}/:_authToken=none`]
  writeFileSync(userConfig, `${lines.join('\n')}\n`)
  return {
    NPM_CONFIG_USERCONFIG: userConfig,
    npm_config_registry: url,
    'npm_config_@runledger:registry': url,
    npm_config_provenance: 'false',
    npm_config_update_notifier: 'false',
    pnpm_config_registry: url,
    pnpm_config_update_notifier: 'false',
    // It remembers what it was told by any registry of this machine, addresses with an old port among it.
    YARN_GLOBAL_FOLDER: path.join(folder, 'yarn'),
    YARN_NPM_REGISTRY_SERVER: url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    // They take no package that was published less than a day ago, unless they are told to.
    pnpm_config_minimum_release_age: '0',
    YARN_NPM_MINIMAL_AGE_GATE: '0',
  }
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** @param {string} url @param {import('node:child_process').ChildProcess} child */
async function waitFor(url, child) {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const answers = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (child.exitCode !== null) throw new Error(`the registry ended with ${child.exitCode}`)
    if (answers) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill()
  throw new Error('the registry did not answer within 60 s')
}
