import { pick, type Behaviour, type Chapter } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'

/** A test told not to run, beside one that runs. */
function unrun(
  name: string,
  body: (dialect: Dialect) => string | undefined,
  log: RegExp = /- .*waits/,
): Behaviour {
  return {
    name,
    scenario: (dialect) => {
      const test = body(dialect)
      if (test === undefined) return { notPossible: NOT_SAID[dialect.framework] }
      return oneFile(dialect, {
        body: `${test}\ntest('holds', () => {})\n`,
        steps: [['holds', 'PASS']],
        variables: { tests_passed: '1', tests_failed: '0', tests_skipped: '1' },
        log: [log],
      })
    },
  }
}

const NOT_SAID = {
  jest: 'Jest has no word for this: jest-circus knows test.skip and test.todo only.',
  vitest: 'Vitest has no such word.',
  playwright: 'Playwright Test has no such word.',
}

const FILTER = { jest: '-t', vitest: '-t', playwright: '-g' }
const TWO_FILES = (dialect: Dialect, one: string, other: string) => ({
  ...dialect.config(),
  'a.test.js': dialect.head + one,
  'b.test.js': dialect.head + other,
})

export const SELECTION: Chapter = {
  title: 'Tests that do not run',
  behaviours: [
    {
      ...unrun(
        'a skipped test is no step, is counted and named in the log',
        () => "test.skip('waits', () => {})",
      ),
      isCore: true,
    },
    unrun('a test skipped on a condition is no step', ({ framework }) =>
      framework === 'jest'
        ? "(process.platform ? test.skip : test)('waits', () => {})"
        : framework === 'vitest'
          ? "test.skipIf(true)('waits', () => {})"
          : "test('waits', () => { test.skip(true, 'no device') })",
    ),
    unrun('a test that runs only on a condition is no step', ({ framework }) =>
      framework === 'vitest' ? "test.runIf(false)('waits', () => {})" : undefined,
    ),
    unrun('a todo test is no step', ({ framework }) =>
      framework === 'playwright' ? undefined : "test.todo('waits')",
    ),
    unrun('a test to be fixed is no step', ({ framework }) =>
      framework === 'playwright' ? "test.fixme('waits', () => {})" : undefined,
    ),
    unrun(
      'a test that skips itself in the middle is no step, with its reason in the log',
      ({ framework }) =>
        framework === 'jest'
          ? undefined
          : framework === 'vitest'
            ? "test('waits', async ({ skip }) => { await Promise.resolve(); skip('no device'); throw new Error('x') })"
            : "test('waits', async () => { await Promise.resolve(); test.skip(true, 'no device'); throw new Error('x') })",
      /waits.*no device/,
    ),
    unrun(
      'tests of a skipped describe are no steps',
      ({ skipDescribe }) => `${skipDescribe}('group', () => { test('waits', () => {}) })`,
      /group › waits/,
    ),
    {
      name: 'tests beside a focused one are no steps',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: "test('waits', () => {})\ntest.only('alone', () => {})\ntest('waits too', () => {})\n",
          steps: [['alone', 'PASS']],
          // Playwright takes tests beside a focused one away before reporters see them.
          variables: { tests_skipped: pick(dialect, { jest: '2', vitest: '2', playwright: '0' }) },
        }),
    },
    {
      name: 'tests outside a focused describe are no steps',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `test('waits', () => {})\n${dialect.onlyDescribe}('group', () => { test('alone', () => {}) })\n`,
          steps: [['group › alone', 'PASS']],
        }),
    },
    {
      name: 'tests that a name filter leaves out are no steps',
      isCore: true,
      scenario: (dialect) =>
        oneFile(dialect, {
          body: "test('voltage holds', () => {})\ntest('current fails', () => { throw new Error('x') })\n",
          args: [pick(dialect, FILTER), 'voltage'],
          steps: [['voltage holds', 'PASS']],
          variables: { tests_skipped: pick(dialect, { jest: '1', vitest: '1', playwright: '0' }) },
        }),
    },
    {
      name: 'a file of which a name filter leaves nothing has no run',
      scenario: (dialect) => ({
        files: TWO_FILES(
          dialect,
          "test('voltage', () => {})\n",
          "test('current', () => { throw new Error('x') })\n",
        ),
        args: [pick(dialect, FILTER), 'voltage'],
        exitCode: 0,
        runs: [{ file: 'a.test.js', outcome: 'PASS', steps: [['voltage', 'PASS']] }],
      }),
    },
    {
      name: 'a name filter that matches nothing leaves no run but where the framework fails for it',
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.test.js': `${dialect.head}test('holds', () => {})\n` },
        args: [pick(dialect, FILTER), 'nowhere'],
        exitCode: pick(dialect, { jest: 0, vitest: 0, playwright: 1 }),
        runs: pick(dialect, {
          jest: [],
          vitest: [],
          playwright: [
            {
              file: '(execution)',
              outcome: 'FAIL' as const,
              steps: [['Execution failed to start', 'FAIL' as const]],
            },
          ],
        }),
      }),
    },
    {
      name: 'a file that is skipped whole has no run',
      scenario: (dialect) => ({
        files: TWO_FILES(dialect, "test('holds', () => {})\n", "test.skip('waits', () => {})\n"),
        exitCode: 0,
        runs: [{ file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }],
      }),
    },
    {
      name: 'an execution all of whose tests are skipped leaves no run',
      scenario: (dialect) => oneFile(dialect, { body: "test.skip('waits', () => {})\n", steps: [] }),
    },
    {
      name: 'a file left out on the command line has no run',
      scenario: (dialect) => ({
        files: TWO_FILES(
          dialect,
          "test('holds', () => {})\n",
          "test('fails', () => { throw new Error('x') })\n",
        ),
        args: ['a.test.js'],
        exitCode: 0,
        runs: [{ file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }],
      }),
    },
    {
      name: 'a focused test that is forbidden fails the execution',
      scenario: (dialect) => {
        if (dialect.framework === 'jest')
          return { notPossible: 'Jest has no option that forbids focused tests.' }
        const scenario = oneFile(dialect, {
          body: "test('holds', () => {})\ntest.only('alone', () => {})\n",
          args: [pick(dialect, { jest: '', vitest: '--allowOnly=false', playwright: '--forbid-only' })],
          steps: [['alone', 'FAIL']],
        })
        if (dialect.framework === 'vitest') return scenario
        // Playwright runs nothing and names the file.
        const steps: [string, 'FAIL'][] = [['Suite failed to load', 'FAIL']]
        return { ...scenario, runs: [{ file: 'a.test.js', outcome: 'FAIL', steps, log: [/focused/] }] }
      },
    },
  ],
}
