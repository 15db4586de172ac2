import { pick, type Chapter, type ExpectedRun } from '../behaviour'
import { oneFile } from '../one-file'

type Steps = ExpectedRun['steps']

const ONE_TEST = "test('reads', () => {})\n"

export const HOOKS_TOGETHER: Chapter = {
  title: 'Several hooks that fail',
  behaviours: [
    {
      name: 'beforeEach and afterEach errors of one test are both in the log',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.beforeEach}(() => { throw new Error('before it') })
            ${dialect.afterEach}(() => { throw new Error('after it') })\n${ONE_TEST}`,
          steps: [['reads', 'FAIL']],
          variables: { tests_failed: '1' },
          log: ['before it', 'after it'],
        }),
    },
    {
      name: 'the errors of a test and of its afterEach are both in the log',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.afterEach}(() => { throw new Error('after it') })
            test('reads', () => { throw new Error('inside it') })\n`,
          steps: [['reads', 'FAIL']],
          log: ['inside it', 'after it'],
        }),
    },
    {
      name: 'two afterAll errors are both in the log',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.afterAll}(() => { throw new Error('one of two') })
            ${dialect.afterAll}(() => { throw new Error('two of two') })\n${ONE_TEST}`,
          steps: pick<Steps>(dialect, {
            jest: [
              ['reads', 'PASS'],
              ['afterAll hook', 'FAIL'],
              ['afterAll hook (2)', 'FAIL'],
            ],
            vitest: [
              ['reads', 'PASS'],
              ['afterAll hook', 'FAIL'],
            ],
            playwright: [['reads', 'FAIL']],
          }),
          log: pick<string[]>(dialect, {
            jest: ['one of two', 'two of two'],
            // Vitest runs hooks of this kind in reverse and stops at the first that fails.
            vitest: ['two of two'],
            playwright: ['one of two', 'two of two'],
          }),
        }),
    },
    {
      name: 'the afterAll errors of two describes are a failed step each',
      scenario: (dialect) => {
        const group = (name: string) => `${dialect.describe}('${name}', () => {
          ${dialect.afterAll}(() => { throw new Error('after ${name}') })
          ${ONE_TEST} })\n`
        const blamingNone: Steps = [
          ['left › reads', 'PASS'],
          ['right › reads', 'PASS'],
          ['afterAll hook', 'FAIL'],
          ['afterAll hook (2)', 'FAIL'],
        ]
        return oneFile(dialect, {
          body: group('left') + group('right'),
          steps: pick<Steps>(dialect, {
            jest: blamingNone,
            vitest: blamingNone,
            playwright: [
              ['left › reads', 'FAIL'],
              ['right › reads', 'FAIL'],
            ],
          }),
          log: ['after left', 'after right'],
        })
      },
    },
    {
      name: 'beforeAll and afterAll errors of one file are both on record',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.beforeAll}(() => { throw new Error('before all') })
            ${dialect.afterAll}(() => { throw new Error('after all') })\n${ONE_TEST}`,
          steps: pick<Steps>(dialect, {
            jest: [
              ['reads', 'FAIL'],
              ['afterAll hook', 'FAIL'],
            ],
            vitest: [
              ['beforeAll hook', 'FAIL'],
              ['afterAll hook', 'FAIL'],
            ],
            playwright: [['reads', 'FAIL']],
          }),
          log: ['before all', 'after all'],
        }),
    },
    {
      name: 'a beforeAll error does not hide the failure of a test outside its describe',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `test('measures', () => { throw new Error('no reading') })
            ${dialect.describe}('bench', () => {
              ${dialect.beforeAll}(() => { throw new Error('no bench') })
              ${ONE_TEST} })\n`,
          steps: pick<Steps>(dialect, {
            jest: [
              ['measures', 'FAIL'],
              ['bench › reads', 'FAIL'],
            ],
            vitest: [
              ['measures', 'FAIL'],
              ['beforeAll hook', 'FAIL'],
            ],
            playwright: [
              ['measures', 'FAIL'],
              ['bench › reads', 'FAIL'],
            ],
          }),
          log: ['no reading', 'no bench'],
        }),
    },
    {
      name: 'an afterAll error beside a failed test is on record as well',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.afterAll}(() => { throw new Error('after all') })
            test('reads', () => { throw new Error('no reading') })\n`,
          steps: pick<Steps>(dialect, {
            jest: [
              ['reads', 'FAIL'],
              ['afterAll hook', 'FAIL'],
            ],
            vitest: [
              ['reads', 'FAIL'],
              ['afterAll hook', 'FAIL'],
            ],
            playwright: [['reads', 'FAIL']],
          }),
          log: ['no reading', 'after all'],
        }),
    },
    {
      name: 'a string thrown by a hook is in the log',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.beforeEach}(() => { throw 'a bare string' })\n${ONE_TEST}`,
          steps: [['reads', 'FAIL']],
          log: ['a bare string'],
        }),
    },
    {
      name: 'an undefined thrown by an afterAll hook fails the run',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.afterAll}(() => { throw undefined })\n${ONE_TEST}`,
          steps: pick<Steps>(dialect, {
            jest: [
              ['reads', 'PASS'],
              ['afterAll hook', 'FAIL'],
            ],
            vitest: [
              ['reads', 'PASS'],
              ['afterAll hook', 'FAIL'],
            ],
            playwright: [['reads', 'FAIL']],
          }),
        }),
    },
    {
      name: 'a hook of a describe that is skipped whole is not run',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.skipDescribe}('bench', () => {
              ${dialect.beforeAll}(() => { throw new Error('before all') })
              ${dialect.afterAll}(() => { throw new Error('after all') })
              ${ONE_TEST} })
            test('measures', () => {})\n`,
          steps: [['measures', 'PASS']],
          variables: { tests_skipped: '1' },
        }),
    },
  ],
}
