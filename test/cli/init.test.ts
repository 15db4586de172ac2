import { chmod, lstat, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  createProject,
  type Framework,
  newestVersion,
  type Project,
  runCommand,
  type RunOptions,
} from '../support/project'
import { createNodeProject } from '../frameworks/node-test-projects'
import { drawCases } from '../support/draw'
import { listNodes } from '../support/nodes'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let service: Service
let project: Pick<Project, 'dir' | 'remove'>

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

afterEach(() => project.remove())

async function open(framework: Framework, files: Record<string, string>): Promise<Project> {
  const opened = await createProject({ framework, version: newestVersion(framework), files })
  project = opened
  return opened
}

function init(args: string[] = [], options: RunOptions = {}) {
  return runCommand(process.execPath, [CLI, 'init', ...args], { dir: project.dir, ...options })
}

/** Every file of the project with its bytes and its mode; what is linked into it aside. */
async function readFolder(dir = project.dir): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) continue
    const { mode } = await lstat(file)
    found[path.relative(dir, file)] =
      `${mode} ${entry.isFile() ? (await readFile(file)).toString('base64') : ''}`
  }
  return found
}

const MANIFESTS: Record<Framework, object> = {
  jest: { name: '@acme/lamp', version: '1.0.0', devDependencies: { jest: '*' } },
  vitest: { name: '@acme/lamp', version: '1.0.0', devDependencies: { vitest: '*' } },
  playwright: { name: '@acme/lamp', version: '1.0.0', devDependencies: { '@playwright/test': '*' } },
}

const TESTS: Record<Framework, Record<string, string>> = {
  jest: { 'sum.test.cjs': "test('adds', () => expect(1 + 1).toBe(2))\n" },
  vitest: {
    'sum.test.js': "import { expect, test } from 'vitest'\ntest('adds', () => expect(1 + 1).toBe(2))\n",
  },
  playwright: {
    'sum.spec.js':
      "import { expect, test } from '@playwright/test'\ntest('adds', () => expect(1 + 1).toBe(2))\n",
  },
}

interface Case {
  what: string
  framework: Framework
  /** Members of package.json. */
  manifest?: object
  files?: Record<string, string>
  /** The config, and what init makes of it or nothing. */
  config: string
  node?: string | undefined
}

const MODULE = { type: 'module' }
/** Node reads types by itself from 22.18 on; before that Jest needs a package for it. */
const TYPE_READING_NODE = listNodes().find(({ major }) => major >= 24)?.binary

const CASES: Case[] = [
  { what: 'no config', framework: 'jest', config: 'jest.config.js' },
  {
    what: 'an ES module with reporters of its own',
    framework: 'jest',
    files: {
      'jest.config.mjs':
        "const config = async () => ({ reporters: [['default', {}], 'summary'] })\n\nexport default config\n",
    },
    config: 'jest.config.mjs',
  },
  {
    what: 'package.json',
    framework: 'jest',
    manifest: { jest: { testEnvironment: 'node' } },
    config: 'package.json',
  },
  {
    what: 'TypeScript',
    framework: 'jest',
    files: {
      'jest.config.ts':
        'interface Config { verbose: boolean }\nconst config: Config = { verbose: true }\nexport default config\n',
    },
    config: 'jest.config.ts',
    node: TYPE_READING_NODE,
  },
  {
    what: 'a preset that only Jest can read',
    framework: 'jest',
    files: {
      'preset.js': "exports.createPreset = () => ({ testEnvironment: 'node' })\n",
      'jest.config.js':
        "const { createPreset } = require('./preset')\n\nmodule.exports = {\n  ...createPreset(),\n}\n",
    },
    config: 'jest.config.js',
  },
  { what: 'no config', framework: 'vitest', config: 'vitest.config.mjs' },
  {
    what: 'TypeScript, ES modules',
    framework: 'vitest',
    manifest: MODULE,
    files: {
      'vitest.config.ts':
        "import { defineConfig } from 'vitest/config'\n\nexport default defineConfig(({ mode }) => ({\n  test: {\n    // a comment\n    reporters: mode === 'ci' ? ['dot'] : 'verbose',\n  },\n}))\n",
    },
    config: 'vitest.config.ts',
  },
  {
    what: 'TypeScript, CommonJS, on top of a config of Vite',
    framework: 'vitest',
    files: {
      'vite.config.mts': "import { defineConfig } from 'vite'\nexport default defineConfig({})\n",
      'vitest.config.mts':
        "import { mergeConfig } from 'vitest/config'\nimport viteConfig from './vite.config.mts'\nexport default mergeConfig(viteConfig, { test: { globals: true } })\n",
    },
    config: 'vitest.config.mts',
  },
  {
    what: 'TypeScript, ES modules, one reporter or another',
    framework: 'playwright',
    manifest: MODULE,
    files: {
      'playwright.config.ts':
        "import { defineConfig } from '@playwright/test'\nexport default defineConfig({\n  reporter: process.env.CI ? 'github' : 'list',\n} satisfies object)\n",
    },
    config: 'playwright.config.ts',
  },
  {
    what: 'JavaScript, CommonJS, a list of reporters',
    framework: 'playwright',
    files: {
      'playwright.config.js':
        "module.exports = {\n  reporter: [\n    ['line'],\n    ['json', { outputFile: 'out.json' }]\n  ]\n}\n",
    },
    config: 'playwright.config.js',
  },
]

const DRAWN = drawCases('projects for init', CASES, 6)

describe('init --yes puts the next execution on record, and --undo leaves no byte changed', () => {
  it.each(DRAWN)('$framework: $what', async ({ framework, manifest, files, config, node }) => {
    const text = JSON.stringify({ ...MANIFESTS[framework], ...manifest }, undefined, 2)
    const given = { 'package.json': `${text}\n`, ...TESTS[framework], ...files }
    const { run: runTests } = await open(framework, given)
    const before = await readFolder()

    const done = await init(['--yes', '--no-install'], { service })
    expect(done, done.stderr).toMatchObject({ exitCode: 0, stderr: '' })
    expect(done.stdout).not.toContain(service.apiKey)
    expect((await readFile(path.join(project.dir, config))).toString()).toContain(`@runledger/${framework}`)
    const after = await readFolder()
    const changed = Object.keys(after).filter((file) => after[file] !== before[file])
    const state = ['', '/.gitignore', '/credentials.json', '/init.json'].map((name) => `.runledger${name}`)
    expect(changed.toSorted()).toEqual([...state, config].toSorted())

    // No variable says where the service is: that is in the file that init wrote.
    const tested = await runTests(node === undefined ? {} : { node })
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0)
    const [, link = ''] =
      /Runledger: 1 run on record, passed: (\S+)/.exec(tested.stderr + tested.stdout) ?? []
    const run = await service.readRun(link.split('/').at(-1) ?? '')
    expect(run).toMatchObject({ outcome: 'PASS', metadata: { framework } })
    for (const made of ['out.json', 'test-results'])
      await rm(path.join(project.dir, made), { recursive: true, force: true })

    const again = await init(['--yes', '--no-install'], { service })
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('has the reporter already') as unknown,
    })
    expect(await readFolder()).toEqual(after)
    expect(await init(['--undo', '--no-install'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await readFolder()).toEqual(before)
  })
})

it.each([
  ['node --test', 'tests 1'],
  ["node --test --test-reporter=dot 'sum.test.js'", String.raw`^\.$`],
])(
  "Node's own test runner: %s prints as before and is on record, and --undo puts it back",
  async (script, printed) => {
    project = await createNodeProject({
      'package.json': `{ "name": "@acme/lamp", "type": "module",\n\n"scripts": { "test": ${JSON.stringify(script)} } }`,
      'sum.test.js': "import { test } from 'node:test'\ntest('adds', () => {})\n",
    })
    const before = await readFolder()
    expect(await init(['--dry-run', '--no-install'], { service })).toMatchObject({
      stdout: expect.stringContaining('node:test: change package.json') as unknown,
    })
    expect(await readFolder()).toEqual(before)
    expect(await init(['--yes', '--no-install'], { service })).toMatchObject({ exitCode: 0, stderr: '' })
    const env = { XDG_STATE_HOME: `${project.dir}.state` }
    const tested = await runCommand('npm', ['test'], { dir: project.dir, env })
    expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0)
    expect(tested.stdout).toMatch(new RegExp(printed, 'm'))
    const [, link = ''] = /Runledger: 1 run on record, passed: (\S+)/.exec(tested.stderr) ?? []
    expect(await service.readRun(link.split('/').at(-1) ?? '')).toMatchObject({
      outcome: 'PASS',
      metadata: { framework: 'node:test' },
    })
    expect(await init(['--undo', '--no-install'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await readFolder()).toEqual(before)
  },
)

/** A package manager that writes what the real one writes, and says what it was called with. */
const FAKE_MANAGER = `#!/usr/bin/env node
const { existsSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const [verb, ...rest] = process.argv.slice(2)
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
for (const name of rest.filter((each) => each.startsWith('@'))) {
  if (verb === 'uninstall') delete manifest.devDependencies[name]
  else manifest.devDependencies[name] = '^0.1.0'
}
writeFileSync('package.json', JSON.stringify(manifest, undefined, 2) + '\\n')
if (verb === 'uninstall') rmSync('installed')
else writeFileSync('installed', process.argv.slice(2).join(' '))
if (existsSync('refuse')) process.exit(3)
`

it('the package is installed with the config in the same package.json, and both go back', async () => {
  const text = `${JSON.stringify({ ...MANIFESTS.jest, jest: {} })}\n`
  await open('jest', { 'package.json': text, 'package-lock.json': '{}\n', 'bin/npm': FAKE_MANAGER })
  await chmod(path.join(project.dir, 'bin/npm'), 0o755)
  const before = await readFolder()
  const env = { PATH: `${path.join(project.dir, 'bin')}${path.delimiter}${process.env['PATH']}` }
  expect(await init(['--yes'], { env })).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await readFile(path.join(project.dir, 'installed'), 'utf8')).toBe(
    'install --save-dev @runledger/jest',
  )
  const manifest = JSON.parse(await readFile(path.join(project.dir, 'package.json'), 'utf8')) as object
  expect(manifest).toMatchObject({
    devDependencies: { '@runledger/jest': '^0.1.0' },
    jest: { reporters: ['default', '@runledger/jest'] },
  })
  expect(await init(['--undo'], { env })).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await readFolder()).toEqual(before)
})

it('nothing is changed if the package manager fails', async () => {
  await open('jest', {
    'package.json': `${JSON.stringify(MANIFESTS.jest)}\n`,
    'bin/npm': FAKE_MANAGER,
    refuse: '',
  })
  await chmod(path.join(project.dir, 'bin/npm'), 0o755)
  const before = await readFolder()
  const env = { PATH: `${path.join(project.dir, 'bin')}${path.delimiter}${process.env['PATH']}` }
  const { exitCode, stderr } = await init(['--yes'], { env })
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/`npm install --save-dev @runledger\/jest` failed in .*: it ended with 3/),
  ])
  const after = await readFolder()
  delete after['installed']
  expect(after).toEqual(before)
})
