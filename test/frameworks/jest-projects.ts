/** What is read of `jest --json`. */
export interface JsonReport {
  success: boolean
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    status: string
    startTime: number
    endTime: number
    assertionResults: {
      ancestorTitles: string[]
      title: string
      status: string
      duration: number | null
      failureMessages?: string[]
    }[]
  }[]
}

/** What a Jest execution is made of, and what the framework and the record must say of it. */
export interface JestCase {
  files: Record<string, string>
  args?: string[]
  exitCode: number
  /** Steps that failed, by file; a file that is not named has no failed run. */
  failedSteps: Record<string, string[]>
  /** How many runs in all. */
  runs: number
  /** Variables of `a.test.js`. */
  variables?: Record<string, string>
}

const CONFIG = {
  'jest.config.js': "module.exports = { reporters: ['default', '@runledger/jest'] }\n",
}
const SNAPSHOT = '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`gone 1`] = `1`;\n'
const PASSING = "test('holds', () => { expect(1).toBe(1) })\n"

/** Many kinds of tests at once, for a comparison with Jest's own JSON report. */
export const MIXED_PROJECT = {
  ...CONFIG,
  'kinds.test.js': `
    describe('outer › x', () => { describe('inner', () => {
      test('passes', () => { console.log('from the test') })
      test('fails', () => { expect({ a: 1 }).toEqual({ a: 2 }) })
      test('takes a while', () => new Promise((done) => setTimeout(done, 60)))
      test.skip('skipped', () => {})
      test.todo('later')
      test.failing('fails as expected', () => { throw new Error('x') })
      test.failing('passes unexpectedly', () => {})
      test('same', () => {})
      test('same', () => { throw new Error('second of the name') })
      test.each([1, 2])('each %i', () => {})
    }) })\n`,
  'hooks.test.js': `
    beforeAll(() => { throw new Error('before all') })
    test('a', () => {})
    test('b', () => {})
    test.skip('c', () => {})\n`,
  'src/nested/deep.test.js': PASSING,
  'load.test.js': "require('./nowhere')\n",
}

const PROJECTS = `
  const project = (place) => ({ testMatch: ['<rootDir>/shared.test.js'], globals: { PLACE: place } })
  module.exports = {
    reporters: ['default', '@runledger/jest'],
    projects: [project(1), { ...project(2), displayName: 'second' }],
  }\n`

export const CASES: Record<string, JestCase> = {
  'a worker that crashes': {
    files: {
      ...CONFIG,
      'a.test.js': `${PASSING}test('dies', () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}) })\n`,
      'b.test.js': PASSING,
    },
    args: ['--maxWorkers=2', '--no-cache'],
    exitCode: 1,
    failedSteps: { 'a.test.js': ['Suite failed to run'] },
    runs: 2,
  },
  'a worker that exits after the tests, each time that its file is run': {
    files: {
      ...CONFIG,
      'a.test.js': `${PASSING}test('again', () => {})\nafterAll(() => { process.exit(1) })\n`,
      'b.test.js': PASSING,
    },
    args: ['--maxWorkers=2', '--no-cache'],
    exitCode: 1,
    failedSteps: { 'a.test.js': ['Suite failed to run'] },
    runs: 2,
    variables: { tests_passed: '2', tests_failed: '0' },
  },
  'a worker thread that ends in a test, each time that its file is run': {
    files: {
      'jest.config.js':
        "module.exports = { reporters: ['default', '@runledger/jest'], workerThreads: true }\n",
      'a.test.js': `${PASSING}test('ends', () => { process.exit(1) })\n`,
      'b.test.js': PASSING,
    },
    args: ['--maxWorkers=2', '--no-cache'],
    exitCode: 1,
    failedSteps: { 'a.test.js': ['Suite failed to run'] },
    runs: 2,
    variables: { tests_passed: '1', tests_skipped: '1' },
  },
  'a worker that is killed while concurrent tests of equal titles run beside it': {
    files: {
      ...CONFIG,
      'a.test.js': `const { setTimeout } = require('node:timers/promises')
        test.concurrent('same', async () => { throw new Error('fails') })
        test.concurrent('slow', async () => {
          await setTimeout(300)
          process.kill(process.pid, 'SIGKILL')
          await new Promise(() => {})
        })
        test.concurrent('same', async () => {})
        test.concurrent('same', async () => {})\n`,
      'b.test.js': PASSING,
    },
    args: ['--maxWorkers=2', '--maxConcurrency=2', '--no-cache'],
    exitCode: 1,
    failedSteps: { 'a.test.js': ['same', 'Suite failed to run'] },
    runs: 2,
    variables: { tests_passed: '2', tests_failed: '1' },
  },
  'a describe block that is tried again as a whole': {
    files: {
      ...CONFIG,
      'a.test.js': `let tries = 0
        describe('block', () => {
          jest.retryTimes(2, { entireDescribe: true })
          test('steady', () => {})
          test('shaky', () => { tries += 1; if (tries < 2) throw new Error('not ready') })
        })\n`,
    },
    exitCode: 0,
    failedSteps: {},
    runs: 1,
    variables: { tests_passed: '2', tests_flaky: '1', retries: '2' },
  },
  'an obsolete snapshot': {
    files: { ...CONFIG, 'a.test.js': PASSING, '__snapshots__/a.test.js.snap': SNAPSHOT },
    exitCode: 1,
    failedSteps: { 'a.test.js': ['Obsolete snapshot'] },
    runs: 1,
  },
  'an obsolete snapshot that is removed by --updateSnapshot': {
    files: { ...CONFIG, 'a.test.js': PASSING, '__snapshots__/a.test.js.snap': SNAPSHOT },
    args: ['--updateSnapshot'],
    exitCode: 0,
    failedSteps: {},
    runs: 1,
  },
  'a snapshot file without its test file': {
    files: { ...CONFIG, 'a.test.js': PASSING, '__snapshots__/gone.test.js.snap': SNAPSHOT },
    exitCode: 1,
    failedSteps: { '(execution)': ['Obsolete snapshot file'] },
    runs: 2,
  },
  'a bail while another file is under way': {
    files: {
      'jest.config.js': "module.exports = { bail: 1, maxWorkers: 2, reporters: ['@runledger/jest'] }\n",
      'a.test.js':
        "test('fails', async () => { await new Promise((r) => setTimeout(r, 1500)); throw new Error('x') })\n",
      'b.test.js': `${PASSING}test('is slow', () => new Promise((r) => setTimeout(r, 20000)), 30000)\n`,
    },
    args: ['--no-cache'],
    exitCode: 1,
    failedSteps: { 'a.test.js': ['fails'], 'b.test.js': ['Interrupted'] },
    runs: 2,
  },
  'one file in two projects': {
    files: {
      'jest.config.js': PROJECTS,
      'shared.test.js': "test('is first', () => { expect(PLACE).toBe(1) })\n",
    },
    exitCode: 1,
    failedSteps: { 'shared.test.js': ['is first'] },
    runs: 2,
  },
}
