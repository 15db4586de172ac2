import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { REPOSITORY } from './start-service.mjs'

const VERSIONS = JSON.parse(
  readFileSync(new URL('../support/framework-versions.json', import.meta.url), 'utf8'),
)

const FRAMEWORKS = {
  jest: {
    args: ['jest/bin/jest.js', '--maxWorkers=2'],
    head: '',
    config: (reporter) => ({
      'jest.config.js': `module.exports = { reporters: ${JSON.stringify(['default', ...reporter])} }\n`,
    }),
  },
  vitest: {
    args: ['vitest/vitest.mjs', 'run', '--maxWorkers=2'],
    head: "import { expect, test } from 'vitest'\n",
    config: (reporter) => ({
      'vitest.config.mjs': `export default { test: { reporters: ${JSON.stringify(['default', ...reporter])} } }\n`,
    }),
  },
  playwright: {
    args: ['@playwright/test/cli.js', 'test', '--workers=2'],
    head: "const { expect, test } = require('@playwright/test')\n",
    config: (reporter) => ({
      'playwright.config.js': `module.exports = { testMatch: '*.test.js', reporter: ${JSON.stringify(
        ['line', ...reporter].map((name) => [name]),
      )} }\n`,
    }),
  },
}

const PACKAGES = ['protocol', 'core', 'jest', 'vitest', 'playwright']

export const FRAMEWORK_NAMES = Object.keys(FRAMEWORKS)

/** The newest version that runs on this Node. @param {string} framework */
export function newestVersion(framework) {
  return Object.entries(VERSIONS[framework])
    .filter(([, { node }]) => node === undefined)
    .map(([version]) => version)
    .at(-1)
}

/**
 * Two projects that differ in one line: without the reporter and with it.
 * @param {{ framework: string, version: string, tests: number, files: number, failing: number, seed: number, foot?: string }} size
 */
export async function createProjects(size) {
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), `runledger-overhead-${size.framework}-`)))
  const files = writeTests(size)
  const without = await createProject(path.join(dir, 'without'), files, { ...size, reporter: [] })
  const withReporter = await createProject(path.join(dir, 'with'), files, {
    ...size,
    reporter: [`@runledger/${size.framework}`],
  })
  return { without, with: withReporter, remove: () => rm(dir, { recursive: true, force: true }) }
}

/** One project with the reporter; its files come without the framework's first line. */
export async function createSpeakingProject({ framework, version, files }) {
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), `runledger-bench-${framework}-`)))
  const { head } = FRAMEWORKS[framework]
  const whole = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, head + text]))
  return createProject(dir, whole, { framework, version, reporter: [`@runledger/${framework}`] })
}

async function createProject(dir, files, { framework, version, reporter }) {
  const { args, config } = FRAMEWORKS[framework]
  await mkdir(dir, { recursive: true })
  const all = { 'package.json': '{"name": "bench", "version": "1.0.0"}\n', ...config(reporter), ...files }
  for (const [name, content] of Object.entries(all)) await writeFile(path.join(dir, name), content)
  await installModules(path.join(dir, 'node_modules'), `${framework}-${version}`)
  const [bin, ...rest] = args
  return { dir, args: [path.join(dir, 'node_modules', bin), ...rest] }
}

/**
 * As an install would have it: our packages are copies, since frameworks treat what lies outside of `node_modules` as
 * the user's own code and transform it.
 */
async function installModules(modules, frameworkFolder) {
  const installed = path.join(REPOSITORY, '.cache/frameworks', frameworkFolder, 'node_modules')
  await mkdir(modules)
  const link = async (from, name) => {
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true })
    await symlink(path.join(from, name), path.join(modules, name))
  }
  for (const name of await readdir(installed)) if (name !== '@runledger') await link(installed, name)
  for (const name of PACKAGES) {
    const from = path.join(REPOSITORY, 'packages', name)
    const to = path.join(modules, '@runledger', name)
    await cp(path.join(from, 'dist'), path.join(to, 'dist'), { recursive: true })
    await cp(path.join(from, 'package.json'), path.join(to, 'package.json'))
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8'))
    const missing = Object.keys(dependencies).filter(
      (each) => !each.startsWith('@runledger/') && !existsSync(path.join(modules, each)),
    )
    for (const each of missing) await link(path.join(REPOSITORY, 'node_modules'), each)
  }
}

/** The failing tests lie where the seed says; `foot` ends every file. */
function writeTests({ framework, tests, files, failing, seed, foot = '' }) {
  const bad = pickSome(tests, Math.round(tests * failing), seed)
  const perFile = tests / files
  return Object.fromEntries(
    Array.from({ length: files }, (_, file) => {
      const lines = Array.from({ length: perFile }, (__, index) => {
        const number = file * perFile + index
        const right = bad.has(number) ? -1 : number + 1
        return `test('adds one to ${number}', () => { expect(${number} + 1).toBe(${right}) })`
      })
      return [`file-${file}.test.js`, `${FRAMEWORKS[framework].head}${lines.join('\n')}\n${foot}`]
    }),
  )
}

/** So many different numbers below a limit, the same for the same seed. */
function pickSome(limit, count, seed) {
  const picked = new Set()
  for (let state = seed; picked.size < count;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    picked.add(Math.floor((state / 2 ** 32) * limit))
  }
  return picked
}
