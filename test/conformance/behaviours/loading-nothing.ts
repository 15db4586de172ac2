import { pick, type Behaviour, type Chapter, type ExpectedRun } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"
const GOOD: ExpectedRun = { file: 'good.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
const UNLOADED: ExpectedRun = {
  file: 'a.test.js',
  outcome: 'FAIL',
  steps: [['Suite failed to load', 'FAIL']],
  log: [/no tests? (suite )?found|at least one test/i],
}

const noTests = (step: string): ExpectedRun => ({
  file: '(execution)',
  outcome: 'FAIL',
  steps: [[step, 'FAIL']],
  log: [/no tests? (files? )?found/i],
})

/** A file in which the framework finds no test: a failure for Jest and Vitest; Playwright never speaks of it. */
function testless(
  name: string,
  code: (dialect: Dialect) => string,
  ofVitest: ExpectedRun['steps'] = UNLOADED.steps,
): Behaviour {
  return {
    name,
    scenario: (dialect) => ({
      files: {
        ...dialect.config(),
        'a.test.js': code(dialect),
        'good.test.js': dialect.head + HOLDS,
      },
      exitCode: pick(dialect, { jest: 1, vitest: 1, playwright: 0 }),
      runs: pick<ExpectedRun[]>(dialect, {
        jest: [UNLOADED, GOOD],
        vitest: [{ ...UNLOADED, steps: ofVitest }, GOOD],
        playwright: [GOOD],
      }),
    }),
  }
}

export const NOTHING_TO_RUN: Chapter = {
  title: 'Files without tests',
  behaviours: [
    testless('an empty file is a failed run where the framework fails it', () => ''),
    testless(
      'a file without tests is a failed run where the framework fails it',
      ({ head }) => `${head}const limit = 3.3\n`,
    ),
    testless(
      'a file with only an empty describe is a failed run where the framework fails it',
      ({ head, describe }) => `${head}${describe}('empty', () => {})\n`,
      // Vitest fails the describe and the file, each with an error of its own.
      [
        ['Suite failed to load', 'FAIL'],
        ['Suite failed to load (2)', 'FAIL'],
      ],
    ),
    {
      name: 'an empty describe beside tests fails only where the framework fails it',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.describe}('empty', () => {})\n${HOLDS}`,
          steps: pick<ExpectedRun['steps']>(dialect, {
            jest: [['holds', 'PASS']],
            vitest: [
              ['holds', 'PASS'],
              ['Suite failed to load', 'FAIL'],
            ],
            playwright: [['holds', 'PASS']],
          }),
        }),
    },
    {
      name: 'files that all hold no test are a failed execution on record',
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.test.js': `${dialect.head}const limit = 3.3\n` },
        exitCode: 1,
        runs: pick<ExpectedRun[]>(dialect, {
          jest: [UNLOADED],
          vitest: [UNLOADED],
          playwright: [noTests('Execution failed to start')],
        }),
      }),
    },
    {
      name: 'an execution without a test file is a failed run of the execution',
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.js': '' },
        exitCode: 1,
        runs: pick<ExpectedRun[]>(dialect, {
          jest: [],
          vitest: [noTests('No tests found')],
          playwright: [noTests('Execution failed to start')],
        }),
        ...(dialect.framework === 'jest' && {
          invariantException:
            'Jest ends its process while it prints that it found no tests, before reporters can do anything (jest-core, runJest).',
        }),
      }),
    },
    {
      name: 'an execution that may be without a test file leaves no run',
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.js': '' },
        args: [
          pick(dialect, {
            jest: '--passWithNoTests',
            vitest: '--passWithNoTests',
            playwright: '--pass-with-no-tests',
          }),
        ],
        exitCode: 0,
        runs: [],
      }),
    },
  ],
}
