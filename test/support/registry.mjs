// A package registry on loopback: Verdaccio, as install-package-managers.mjs brings it. What is published to it stays there;
// all else it fetches from the registry that npm is configured for, once.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../..')
const cache = path.join(repository, '.cache/package-managers')
const BINARY = path.join(cache, 'tools/node_modules/verdaccio/bin/verdaccio')
const STORAGE = path.join(cache, 'registry')
const YARN_FOLDER = path.join(cache, 'yarn')

/** @type {typeof import('./registry.d.mts').startRegistry} */
export async function startRegistry({ isEmptied = false } = {}) {
  if (isEmptied)
    for (const name of ['runledger', '@runledger', '.verdaccio-db.json'])
      rmSync(path.join(STORAGE, name), { recursive: true, force: true })
  mkdirSync(STORAGE, { recursive: true })
  // Yarn remembers what it was told by any registry of this machine, addresses with an old port among it.
  rmSync(YARN_FOLDER, { recursive: true, force: true })
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/`
  const config = path.join(cache, 'registry.yaml')
  const userConfig = path.join(cache, 'registry.npmrc')
  writeFileSync(config, JSON.stringify(createConfig()))
  // npm publishes to no registry that it has no token for; this one asks for none.
  writeFileSync(userConfig, `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\n`)
  const child = spawn(
    process.execPath,
    ['--no-warnings', BINARY, '--config', config, '--listen', `127.0.0.1:${port}`],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const ended = new Promise((resolve) => child.once('close', resolve))
  await waitFor(`${url}-/ping`, child)
  return {
    url,
    env: {
      NPM_CONFIG_USERCONFIG: userConfig,
      npm_config_registry: url,
      pnpm_config_registry: url,
      YARN_GLOBAL_FOLDER: YARN_FOLDER,
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      // They take no package that was published less than a day ago, unless they are told to.
      pnpm_config_minimum_release_age: '0',
      YARN_NPM_MINIMAL_AGE_GATE: '0',
    },
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

function createConfig() {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const ours = { access: '$all', publish: '$all' }
  return {
    storage: STORAGE,
    // What it once fetched is good enough for a day.
    uplinks: { upstream: { url: upstream, maxage: '1d', timeout: '60s' } },
    packages: { '@runledger/*': ours, runledger: ours, '**': { access: '$all', proxy: 'upstream' } },
    max_body_size: '100mb',
    web: { enable: false },
    log: { type: 'stdout', level: 'error' },
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
    if (child.exitCode !== null) throw new Error(`the registry ended with ${child.exitCode}`)
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill()
  throw new Error('the registry did not answer within 60 s')
}
