import { pick, type Chapter, type ExpectedRun, type NotPossible, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'

const GOOD: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
const HOLDS = "test('holds', () => {})\n"
const THROW = "throw new Error('no bench')"

function executionRun(step: string, log: ExpectedRun['log'] = ['no bench']): ExpectedRun {
  return { file: '(execution)', outcome: 'FAIL', steps: [[step, 'FAIL']], log }
}

/** A project whose global set-up and teardown are these bodies of functions. */
function globalHooks(dialect: Dialect, setUp: string, tearDown: string): Scenario['files'] {
  const separate = "globalSetup: './set-up.js', globalTeardown: './teardown.js',"
  return {
    ...dialect.config(
      pick(dialect, { jest: separate, vitest: "globalSetup: './global.mjs',", playwright: separate }),
    ),
    'set-up.js': `module.exports = async () => { ${setUp} }\n`,
    'teardown.js': `module.exports = async () => { ${tearDown} }\n`,
    'global.mjs': `export async function setup() { ${setUp} }\nexport async function teardown() { ${tearDown} }\n`,
    'a.test.js': dialect.head + HOLDS,
  }
}

const UNTOLD_SET_UP =
  'Jest runs globalSetup before it constructs reporters (jest-core, runJest): nobody is told that it failed.'

/** A test with a fixture of a file or worker that throws when it is taken down. */
function brokenFixture(dialect: Dialect, scope: 'file' | 'worker'): string {
  const needs = dialect.framework === 'playwright' ? '{ browserName }' : '{}'
  return `const bench = test.extend({
      device: [async (${needs}, use) => { await use('device'); ${THROW} }, { scope: '${scope}' }],
    })
    bench('holds', ({ device }) => { void device })\n`
}

const NO_SETUP_FILES: NotPossible = {
  notPossible: 'Playwright has no files that run before each test file.',
}

/** A config with a file that runs before each test file, and that file. */
function withSetupFile(dialect: Dialect, code: string): Scenario['files'] {
  const option = pick(dialect, {
    jest: "setupFilesAfterEnv: ['<rootDir>/set-up.js'],",
    vitest: "setupFiles: ['./set-up.js'],",
    playwright: '',
  })
  return { ...dialect.config(option), 'set-up.js': code }
}

export const GLOBAL_HOOKS: Chapter = {
  title: 'Set-up and teardown of the whole execution',
  behaviours: [
    {
      name: 'a global set-up that throws is a failed run of the execution',
      isCore: true,
      scenario: (dialect) => ({
        files: globalHooks(dialect, THROW, ''),
        exitCode: 1,
        runs: pick<ExpectedRun[]>(dialect, {
          jest: [],
          // Vitest prints the error and tells reporters only that the execution failed.
          vitest: [executionRun('Global set-up', [/set-up/])],
          playwright: [executionRun('Global set-up')],
        }),
        ...(dialect.framework === 'jest' && { invariantException: UNTOLD_SET_UP }),
      }),
    },
    {
      name: 'a global teardown that throws leaves the suites their verdicts',
      scenario: (dialect, { release }) => ({
        files: globalHooks(dialect, '', THROW),
        exitCode: dialect.framework === 'vitest' && release === 4 ? 0 : 1,
        runs: [GOOD, ...(dialect.framework === 'playwright' ? [executionRun('Global teardown')] : [])],
        ...pick<Partial<Scenario>>(dialect, {
          jest: { invariantException: 'Jest runs globalTeardown after the last hook of its reporters.' },
          // Vitest 4 ends with 0 then.
          vitest:
            release === 4
              ? {}
              : { invariantException: 'Vitest runs the teardown after the last hook of its reporters.' },
          playwright: {},
        }),
      }),
    },
    {
      name: 'global set-up and teardown that work leave no trace',
      scenario: (dialect) => ({
        files: globalHooks(dialect, "process.env.BENCH = 'ready'", ''),
        exitCode: 0,
        runs: [GOOD],
      }),
    },
    {
      name: 'a set-up file that throws fails every file that it was to set up',
      scenario: (dialect) => {
        if (dialect.framework === 'playwright') return NO_SETUP_FILES
        return {
          files: {
            ...withSetupFile(dialect, `${THROW}\n`),
            'a.test.js': dialect.head + HOLDS,
            'b.test.js': dialect.head + HOLDS,
          },
          exitCode: 1,
          runs: ['a.test.js', 'b.test.js'].map((file) => ({
            file,
            outcome: 'FAIL',
            steps: [['Suite failed to load', 'FAIL']],
            log: ['no bench'],
          })),
        }
      },
    },
    {
      name: 'a hook of a set-up file that throws fails the run of each file',
      scenario: (dialect) => {
        if (dialect.framework === 'playwright') return NO_SETUP_FILES
        return {
          files: {
            ...withSetupFile(dialect, `${dialect.head}afterAll(() => { ${THROW} })\n`),
            'a.test.js': dialect.head + HOLDS,
          },
          exitCode: 1,
          runs: [
            {
              ...GOOD,
              outcome: 'FAIL',
              steps: [
                ['holds', 'PASS'],
                ['afterAll hook', 'FAIL'],
              ],
              log: ['no bench'],
            },
          ],
        }
      },
    },
    {
      name: 'a configuration that cannot be loaded leaves no run',
      scenario: (dialect) => {
        const [name = ''] = Object.keys(dialect.config())
        return {
          files: { [name]: `${THROW}\n`, 'a.test.js': dialect.head + HOLDS },
          exitCode: 1,
          runs: [],
          invariantException: 'The framework ends before it knows of any reporter.',
        }
      },
    },
    {
      name: 'a web server that does not start is a failed run of the execution',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright') return { notPossible: 'Only Playwright starts web servers.' }
        return {
          files: {
            ...dialect.config(`webServer: { command: 'node -e "process.exit(3)"', port: 9 },`),
            'a.test.js': dialect.head + HOLDS,
          },
          exitCode: 1,
          runs: [executionRun('Execution failed to start', [/webServer/])],
        }
      },
    },
    {
      name: 'a worker fixture that fails at its end is a failed run of the execution',
      scenario: (dialect) => {
        if (dialect.framework === 'jest') return { notPossible: 'Jest has no fixtures.' }
        if (dialect.framework === 'vitest')
          return {
            notPossible:
              'Vitest may end, with 0, before a worker has taken its fixtures down: whether their errors are told is a matter of luck.',
          }
        return {
          files: { ...dialect.config(), 'a.test.js': dialect.head + brokenFixture(dialect, 'worker') },
          exitCode: 1,
          runs: [GOOD, executionRun('Unhandled error')],
        }
      },
    },
    {
      name: 'a fixture of a file that fails at its end is a failed step',
      scenario: (dialect) => {
        if (dialect.framework !== 'vitest') return { notPossible: 'Only Vitest has fixtures of files.' }
        return {
          files: { ...dialect.config(), 'a.test.js': dialect.head + brokenFixture(dialect, 'file') },
          exitCode: 1,
          runs: [
            { ...GOOD, outcome: 'FAIL', steps: [...GOOD.steps, ['Suite hook', 'FAIL']], log: ['no bench'] },
          ],
        }
      },
    },
    {
      name: 'an execution that runs out of time is a failed run with what had finished',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright')
          return { notPossible: 'Only Playwright has a time-out of the whole execution (globalTimeout).' }
        return {
          files: {
            ...dialect.config('globalTimeout: 20000,'),
            'a.test.js': dialect.head + HOLDS,
            'b.test.js': `${dialect.head}${HOLDS}test('hangs', () => new Promise(() => {}))\n`,
            'c.test.js': dialect.head + HOLDS,
          },
          exitCode: 1,
          runs: [
            GOOD,
            {
              file: 'b.test.js',
              outcome: 'FAIL',
              steps: [
                ['holds', 'PASS'],
                ['Interrupted', 'FAIL'],
              ],
              log: [/globalTimeout/],
            },
          ],
        }
      },
    },
    {
      name: 'flaky tests that count as failures fail the execution',
      scenario: (dialect, { release }) => {
        if (dialect.framework !== 'playwright')
          return { notPossible: 'Only Playwright has an option that fails for flaky tests.' }
        if (release < 145)
          return { notPossible: 'Playwright can fail for flaky tests (--fail-on-flaky-tests) since 1.45.' }
        return {
          files: {
            ...dialect.config('retries: 1,'),
            'a.test.js': `${dialect.head}test('holds', () => { expect(test.info().retry).toBe(1) })\n`,
          },
          args: ['--fail-on-flaky-tests'],
          exitCode: 1,
          runs: [
            { ...GOOD, variables: { tests_flaky: '1', retries: '1' } },
            executionRun('Execution failed', [/failOnFlakyTests/]),
          ],
        }
      },
    },
  ],
}
