import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { REPOSITORY } from '../support/repository'

export type Files = Record<string, string>

export const IMPORT = "const { test, expect } = require('@playwright/test')\n"
const PASSING = `${IMPORT}test('passes', () => {})\n`
const FAILING = `${IMPORT}test('fails', () => expect(1).toBe(2))\n`
const THROWING = "module.exports = () => { throw new Error('no bench') }\n"

/** A config with our reporter beside the framework's own JSON reporter. */
export function config(options = ''): Files {
  const reporters = "[['list'], ['json', { outputFile: 'report.json' }], ['@runledger/playwright']]"
  return { 'playwright.config.js': `module.exports = { workers: 1, reporter: ${reporters}, ${options} }\n` }
}

/**
 * Verdicts of every kind, from the project that the fast tests' recordings were made of, on two workers. The error that
 * comes late stays in its file: the next file of its worker would be any, or none.
 */
export const MIXED_PROJECT: Files = {
  ...readSpecs(path.join(REPOSITORY, 'packages/playwright/recordings/projects/verdicts')),
  ...config("retries: 1, timeout: 2000, workers: 2, globalSetup: './mock-date.js'"),
  'late.spec.js': `${IMPORT}
test('leaves a timer behind', () => {
  setTimeout(() => {
    throw new Error('too late')
  }, 500)
})
test('is hit by the late error', () => new Promise((resolve) => setTimeout(resolve, 1000)))
test('comes after it', () => {})
`,
  'parallel.spec.js': `${IMPORT}
test.describe.configure({ mode: 'parallel', retries: 0 })
test('fails slowly', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(1).toBe(2)
})
test('passes meanwhile', () => {})
`,
  'mock-date.js': `const read = Date.now
module.exports = () => { Date.now = () => read() - 1e12 }
`,
}

export const PASSING_PROJECT: Files = { ...config(), 'tests/a.spec.js': PASSING }

export interface Case {
  files: Files
  args?: string[]
  exitCode: number
  runs: number
  /** Failed steps of every failed run, by file. */
  failedSteps: Record<string, string[]>
  /** Run with every version; without this with the newest, as the kit has the like for the others. */
  versions?: 'all'
}

export const CASES: Record<string, Case> = {
  'files that cannot be loaded': {
    files: {
      ...config(),
      'a.spec.js': "require('./nowhere')\n",
      'b.spec.js': 'throw new Error()\n',
      'c.spec.js': "require('./bench')\n",
      'bench.js': "throw new Error('no bench')\n",
      'd.spec.js': PASSING,
    },
    exitCode: 1,
    runs: 3,
    failedSteps: {
      'a.spec.js': ['Suite failed to load'],
      'b.spec.js': ['Suite failed to load'],
      'c.spec.js': ['Suite failed to load'],
    },
    versions: 'all',
  },
  'no test found': {
    files: { ...config() },
    exitCode: 1,
    runs: 1,
    failedSteps: { '(execution)': ['Execution failed to start'] },
  },
  'a global set-up that throws': {
    files: {
      ...config("globalSetup: './set-up.js'"),
      'set-up.js': "module.exports = () => require('./bench')()\n",
      'bench.js': THROWING,
      'a.spec.js': PASSING,
    },
    exitCode: 1,
    runs: 1,
    failedSteps: { '(execution)': ['Global set-up'] },
  },
  'a worker fixture that fails at its end and a global teardown that throws': {
    files: {
      ...config("globalTeardown: './teardown.js'"),
      'teardown.js': THROWING,
      'a.spec.js': `${IMPORT}
const bench = test.extend({
  device: [async ({ browserName }, use) => { await use(browserName); throw new Error('late') }, { scope: 'worker' }],
})
bench('passes', ({ device }) => {})
`,
    },
    exitCode: 1,
    runs: 2,
    failedSteps: { '(execution)': ['Unhandled error', 'Global teardown'] },
  },
  'a set-up project that fails': {
    files: {
      ...config(
        "projects: [{ name: 'setup', testMatch: 'setup.js' }, { name: 'main', dependencies: ['setup'] }]",
      ),
      'setup.js': FAILING,
      'a.spec.js': PASSING,
    },
    exitCode: 1,
    runs: 1,
    failedSteps: { 'setup.js': ['fails'] },
  },
  'as many failures as it may have': {
    files: {
      ...config('maxFailures: 1'),
      'a.spec.js': `${PASSING}test('fails', () => expect(1).toBe(2))\ntest('never begins', () => {})\n`,
      'b.spec.js': PASSING,
    },
    exitCode: 1,
    runs: 1,
    failedSteps: { 'a.spec.js': ['fails', 'Interrupted'] },
    versions: 'all',
  },
  'an interruption': {
    files: {
      ...config("preserveOutput: 'never'"),
      'a.spec.js': `${IMPORT}
test('passes', async ({}, info) => {
  info.attachments.push({ name: 'its own source', contentType: 'text/plain', path: __filename })
})
`,
      'b.spec.js': `${PASSING}
test('is interrupted', async () => {
  process.kill(process.ppid, 'SIGINT')
  await new Promise(() => {})
})
`,
      'c.spec.js': PASSING,
    },
    exitCode: 130,
    runs: 2,
    failedSteps: { 'b.spec.js': ['Interrupted'] },
  },
  'an execution that runs out of time': {
    files: {
      ...config('globalTimeout: 8000'),
      'a.spec.js': `${PASSING}test('hangs', () => new Promise(() => {}))\n`,
    },
    exitCode: 1,
    runs: 1,
    failedSteps: { 'a.spec.js': ['Interrupted'] },
  },
  'flaky tests that count as failures': {
    files: {
      ...config('retries: 1'),
      'a.spec.js': `${IMPORT}test('is flaky', () => expect(test.info().retry).toBe(1))\n`,
    },
    args: ['--fail-on-flaky-tests'],
    exitCode: 1,
    runs: 2,
    failedSteps: { '(execution)': ['Execution failed'] },
  },
  'an execution that passes, with a file that is skipped whole': {
    files: { ...config(), 'a.spec.js': PASSING, 'b.spec.js': `${IMPORT}test.skip('waits', () => {})\n` },
    exitCode: 0,
    runs: 1,
    failedSteps: {},
  },
  'a list of tests, which runs none': {
    files: PASSING_PROJECT,
    args: ['--list'],
    exitCode: 0,
    runs: 0,
    failedSteps: {},
  },
}

/** Two tests of one file, each on a shard of its own. */
export const SHARDED_PROJECT: Files = {
  ...config('fullyParallel: true'),
  'a.spec.js': `${PASSING}test('fails', () => expect(1).toBe(2))\n`,
}

/**
 * A page in a real browser; `use` is the project's `use`. It ends slowly: a worker removes what it was told to remove
 * without waiting for reporters, and one that is short of processor time would come too late.
 */
export function browserProject(use: string, options = ''): Files {
  return {
    ...config(`use: { launchOptions: { executablePath: process.env.CHROMIUM_PATH }, ${use} }, ${options}`),
    'page.spec.js': `${IMPORT}
test('draws', async ({ page }, info) => {
  await page.setContent('<h1>idle</h1>')
  await info.attach('reading.txt', { path: __filename })
})
test.afterAll(() => new Promise((resolve) => setTimeout(resolve, 500)))
`,
  }
}

function readSpecs(folder: string): Files {
  const names = readdirSync(folder).filter((name) => name.endsWith('.spec.js'))
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]))
}
