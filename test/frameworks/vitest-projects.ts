/** What a Vitest execution is made of, and what the framework and the record must say of it. */
export interface VitestCase {
  files: Record<string, string>
  args?: string[]
  exitCode: number
  /** Steps that failed, by file; a file that is not named has no failed run. */
  failedSteps: Record<string, string[]>
  /** How many runs in all. */
  runs: number
  /** Major versions in which it goes another way, which is then no matter of this case. */
  not?: string[]
}

/** A config whose reporters are the default one and ours, with more test options as text. */
export function createConfig(more = ''): string {
  return `export default { test: { reporters: ['default', '@runledger/vitest'], ${more} } }\n`
}

const CONFIG = { 'vitest.config.mjs': createConfig() }
const HEAD = "import { afterAll, beforeAll, describe, expect, test } from 'vitest'\n"
export const PASSING = `${HEAD}test('holds', () => { expect(1).toBe(1) })\n`

/** Many kinds of tests at once, for a comparison with Vitest's own JSON report. */
export const MIXED_PROJECT = {
  'vitest.config.mjs': `export default { test: {
    reporters: ['default', '@runledger/vitest', ['json', { outputFile: 'report.json' }]],
  } }\n`,
  'kinds.test.ts': `${HEAD}
    describe('outer › x', () => { describe('inner', () => {
      test('passes', () => { console.log('from the test') })
      test('fails', () => { expect({ a: 1 }).toEqual({ a: 2 }) })
      test('takes a while', () => new Promise((done) => setTimeout(done, 60)))
      test.skip('skipped', () => {})
      test.todo('later')
      test('skips itself', (context) => { context.skip('no device') })
      test.fails('fails as expected', () => { throw new Error('x') })
      test.fails('passes unexpectedly', () => {})
      test('same', () => {})
      test('same', () => { throw new Error('second of the name') })
      test.each([1, 2])('each %i', () => {})
    }) })\n`,
  'hooks.test.ts': `${HEAD}
    describe('g', () => {
      beforeAll(() => { throw new Error('before all') })
      test('a', () => {})
      test.skip('b', () => {})
    })
    test('c', () => {})\n`,
  'src/nested/deep.test.ts': PASSING,
  'load.test.ts': "import './nowhere'\n",
}

const LATE_REJECTION = `${HEAD}
  test('leaves a rejection', async () => {
    void Promise.reject(new Error('nobody caught it'))
    await new Promise((done) => setTimeout(done, 50))
  })\n`

const PROJECTS = `export default { test: {
  reporters: ['default', '@runledger/vitest'],
  projects: ['first', 'second'].map((name) => ({ test: { name, env: { PLACE: name } } })),
} }\n`

export const CASES: Record<string, VitestCase> = {
  'an unhandled rejection while every test passes': {
    files: { ...CONFIG, 'a.test.ts': LATE_REJECTION, 'b.test.ts': PASSING },
    exitCode: 1,
    failedSteps: { 'a.test.ts': ['Unhandled error'] },
    runs: 2,
  },
  'an unhandled rejection that is to be ignored': {
    files: {
      'vitest.config.mjs': createConfig('dangerouslyIgnoreUnhandledErrors: true'),
      'a.test.ts': LATE_REJECTION,
    },
    exitCode: 0,
    failedSteps: {},
    runs: 1,
  },
  'a reporter that throws': {
    files: {
      'vitest.config.mjs': `const broken = { onTestCaseResult() { throw new Error('broken reporter') } }
        export default { test: { reporters: ['default', '@runledger/vitest', broken] } }\n`,
      'a.test.ts': PASSING,
    },
    exitCode: 1,
    failedSteps: { '(execution)': ['Unhandled error'] },
    runs: 2,
  },
  'a worker that dies': {
    files: {
      ...CONFIG,
      'a.test.ts': `${PASSING}test('dies', async () => {
        await new Promise((done) => setTimeout(done, 500))
        process.kill(process.pid, 'SIGKILL')
        await new Promise(() => {})
      })\n`,
      'b.test.ts': PASSING,
    },
    exitCode: 1,
    failedSteps: { 'a.test.ts': ['Interrupted'], '(execution)': ['Unhandled error'] },
    runs: 3,
    // Vitest 3 dies with its worker, before the last hook.
    not: ['3'],
  },
  'process.exit in a test': {
    files: { ...CONFIG, 'a.test.ts': `${PASSING}test('exits', () => { process.exit(0) })\n` },
    exitCode: 1,
    failedSteps: { 'a.test.ts': ['exits'] },
    runs: 1,
  },
  'a bail': {
    files: {
      'vitest.config.mjs': createConfig('bail: 1, fileParallelism: false'),
      'a.test.ts': `${PASSING}test('fails', () => { throw new Error('x') })\ntest('is left', () => {})\n`,
    },
    exitCode: 1,
    failedSteps: { 'a.test.ts': ['fails', 'Interrupted'] },
    runs: 1,
  },
  'a global set-up that throws': {
    files: {
      'vitest.config.mjs': createConfig("globalSetup: './setup.mjs'"),
      'setup.mjs': "export default () => { throw new Error('no bench') }\n",
      'a.test.ts': PASSING,
    },
    exitCode: 1,
    failedSteps: { '(execution)': ['Global set-up'] },
    runs: 1,
  },
  'one file in two projects': {
    files: {
      'vitest.config.mjs': PROJECTS,
      'a.test.ts': `${HEAD}test('is first', () => { expect(process.env.PLACE).toBe('first') })\n`,
    },
    exitCode: 1,
    failedSteps: { 'a.test.ts': ['is first'] },
    runs: 2,
  },
  'one shard of two': {
    files: { ...CONFIG, 'a.test.ts': PASSING, 'b.test.ts': PASSING },
    args: ['--shard=1/2'],
    exitCode: 0,
    failedSteps: {},
    runs: 1,
  },
}
