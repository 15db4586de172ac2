import { pick, type Behaviour, type Chapter, type ExpectedRun } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'

const GOOD: ExpectedRun = { file: 'good.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"

/** A file that cannot be loaded: one failed run whose only step is that, with the reason in its log. */
function unloadable(name: string, log: RegExp, code: (dialect: Dialect) => string): Behaviour {
  return {
    name,
    scenario: (dialect) =>
      oneFile(dialect, { body: code(dialect), steps: [['Suite failed to load', 'FAIL']], log: [log] }),
  }
}

/** What is thrown has no stack, so that Playwright cannot tell which file threw it. */
function unlocated(name: string, value: string, log: RegExp): Behaviour {
  return {
    name,
    scenario: (dialect) => {
      const load: ExpectedRun['steps'] = [['Suite failed to load', 'FAIL']]
      const scenario = oneFile(dialect, { body: `throw ${value}\n`, steps: load, log: [log] })
      if (dialect.framework !== 'playwright') return scenario
      const steps: ExpectedRun['steps'] = [['Execution failed to start', 'FAIL']]
      return { ...scenario, runs: [{ file: '(execution)', outcome: 'FAIL', steps, log: [log] }] }
    },
  }
}

export const LOADING: Chapter = {
  title: 'Files that cannot be loaded',
  behaviours: [
    {
      name: 'a passing file and a failing one are a passed and a failed run',
      isCore: true,
      scenario: ({ head, config }) => ({
        files: {
          ...config(),
          'a.test.js': `${head}test('holds', () => { expect(1).toBe(1) })\n`,
          'b.test.js': `${head}test('fails', () => { expect(1).toBe(2) })\n`,
        },
        exitCode: 1,
        runs: [
          {
            file: 'a.test.js',
            outcome: 'PASS',
            steps: [['holds', 'PASS']],
            variables: { tests_passed: '1' },
          },
          {
            file: 'b.test.js',
            outcome: 'FAIL',
            steps: [['fails', 'FAIL']],
            variables: { tests_failed: '1' },
          },
        ],
      }),
    },
    {
      name: 'a missing import is a failed run with its error in the log',
      isCore: true,
      scenario: (dialect) => ({
        files: {
          ...dialect.config(),
          'a.test.js': pick(dialect, {
            jest: "require('./nowhere')\n",
            vitest: "import './nowhere'\n",
            playwright: "require('./nowhere')\n",
          }),
        },
        exitCode: 1,
        runs: [
          { file: 'a.test.js', outcome: 'FAIL', steps: [['Suite failed to load', 'FAIL']], log: [/nowhere/] },
        ],
      }),
    },
    unloadable(
      'a syntax error is a failed run with its place in the log',
      /(unexpected|expected|syntax)[^]*a\.test\.js/i,
      () => `${HOLDS}const = 1\n`,
    ),
    unloadable(
      'an error thrown at the top of a file is a failed run with its stack in the log',
      /no bench here[^]*a\.test\.js/,
      () => "throw new Error('no bench here')\n",
    ),
    unloadable(
      'an error thrown after tests were defined is a failed run without them',
      /no bench here/,
      () => `${HOLDS}throw new Error('no bench here')\n`,
    ),
    unloadable(
      'an error thrown in a describe is a failed run',
      /in the group/,
      ({ describe }) => `${HOLDS}${describe}('group', () => { throw new Error('in the group') })\n`,
    ),
    unlocated('a string thrown at the top of a file is a failed run', "'a thrown string'", /a thrown string/),
    unlocated('an undefined thrown at the top of a file is a failed run', 'undefined', /undefined/),
    unlocated('an object without a message thrown at the top of a file is a failed run', '{ code: 7 }', /7/),
    {
      name: 'a file that cannot be loaded costs the files beside it nothing',
      isCore: true,
      scenario: (dialect) => ({
        files: {
          ...dialect.config(),
          'bad.test.js': `${dialect.head}throw new Error('bad file')\n`,
          'good.test.js': `${dialect.head}${HOLDS}`,
        },
        exitCode: 1,
        runs: [
          {
            file: 'bad.test.js',
            outcome: 'FAIL',
            steps: [['Suite failed to load', 'FAIL']],
            log: ['bad file'],
          },
          // Playwright runs nothing at all when one file cannot be loaded.
          ...pick<ExpectedRun[]>(dialect, { jest: [GOOD], vitest: [GOOD], playwright: [] }),
        ],
      }),
    },
    {
      name: 'every file that cannot be loaded is a failed run of its own',
      scenario: (dialect) => ({
        files: {
          ...dialect.config(),
          'a.test.js': `${dialect.head}throw new Error('first of them')\n`,
          'nested/deep.test.js': `${dialect.head}throw new Error('second of them')\n`,
        },
        exitCode: 1,
        runs: ['a.test.js', 'nested/deep.test.js'].map((file, index) => ({
          file,
          outcome: 'FAIL',
          steps: [['Suite failed to load', 'FAIL']],
          log: [index === 0 ? 'first of them' : 'second of them'],
        })),
      }),
    },
  ],
}
