import { expect } from 'vitest'
import { pick, type Behaviour, type Chapter, type ExpectedRun, type Verdict } from '../behaviour'
import type { Dialect } from '../dialect'
import { readStepSpan } from '../clocks'
import { oneFile } from '../one-file'

type Steps = ExpectedRun['steps']

const HANGS = 'await new Promise(() => {})'

/** A test that throws what is no Error, and how the log names it. */
function thrown(name: string, value: string, log: RegExp): Behaviour {
  return {
    name,
    scenario: (dialect) =>
      oneFile(dialect, {
        body: `test('reads', () => { throw ${value} })\n`,
        steps: [['reads', 'FAIL']],
        variables: { tests_failed: '1' },
        log: [log],
      }),
  }
}

/** A test that is expected to fail. */
function expected(name: string, body: string, verdict: (dialect: Dialect) => Verdict): Behaviour {
  return {
    name,
    isCore: body !== HANGS,
    scenario: (dialect) =>
      oneFile(dialect, {
        options: dialect.timeout(1500),
        body: `${dialect.expectFailure('breaks', body)}test('holds', () => {})\n`,
        steps: [
          ['breaks', verdict(dialect)],
          ['holds', 'PASS'],
        ],
        variables: { tests_flaky: '0', retries: '0', tests_skipped: '0' },
      }),
  }
}

export const VERDICTS: Chapter = {
  title: 'Tests that pass and fail',
  behaviours: [
    {
      name: 'each test is a step with its own verdict, in the order of execution',
      isCore: true,
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `test('first', () => {})
            test('second', () => { expect({ volts: 3.1 }).toEqual({ volts: 3.3 }) })
            ${dialect.describe}('group', () => { test('third', () => {}) })
            test('fourth', async () => { await Promise.resolve() })\n`,
          steps: [
            ['first', 'PASS'],
            ['second', 'FAIL'],
            ['group › third', 'PASS'],
            ['fourth', 'PASS'],
          ],
          variables: {
            tests_passed: '3',
            tests_failed: '1',
            tests_skipped: '0',
            tests_flaky: '0',
            retries: '0',
          },
          log: ['volts', '3.3', 'a.test.js'],
        }),
    },
    {
      name: 'an assertion that fails after an await fails its test',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `test('reads', async () => {
            await new Promise((done) => setTimeout(done, 20))
            expect('late value').toBe('right value')
          })\n`,
          steps: [['reads', 'FAIL']],
          log: ['late value'],
        }),
    },
    {
      name: 'a rejected promise that a test returns fails it',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: "test('reads', () => Promise.reject(new Error('no response')))\n",
          steps: [['reads', 'FAIL']],
          log: ['no response'],
        }),
    },
    {
      name: 'an error with a cause has both in the log',
      scenario: (dialect, { release }) =>
        oneFile(dialect, {
          body: "test('reads', () => { throw new Error('no reading', { cause: new Error('cable is out') }) })\n",
          steps: [['reads', 'FAIL']],
          // Playwright 1.40 tells reporters of no cause.
          log: release === 140 ? ['no reading'] : ['no reading', 'cable is out'],
        }),
    },
    thrown('a thrown string is in the log', "'a bare string'", /a bare string/),
    thrown('a thrown null fails its test', 'null', /null/),
    thrown('a thrown undefined fails its test', 'undefined', /undefined/),
    thrown('a thrown object without a message is in the log', '{ code: 4711 }', /4711/),
    thrown('an error without a message fails its test', 'new Error()', /Error/),
    {
      name: 'a test that runs out of time is a failed step that lasted so long',
      isCore: true,
      scenario: (dialect) =>
        oneFile(dialect, {
          options: dialect.timeout(1500),
          body: "test('hangs', () => new Promise(() => {}))\ntest('holds', () => {})\n",
          steps: [
            ['hangs', 'FAIL'],
            ['holds', 'PASS'],
          ],
          log: [/time(d )?.?out/i, '1500'],
          check: ({ runs: [run] }) => {
            expect(readStepSpan(run, 'hangs').durationMs).toBeGreaterThanOrEqual(1450)
          },
        }),
    },
    expected('an expected failure that fails is a passed step', "throw new Error('as known')", () => 'PASS'),
    expected('an expected failure that passes is a failed step', '', () => 'FAIL'),
    expected(
      'an expected failure that runs out of time is what the framework says',
      HANGS,
      // Playwright alone tells a time-out from a failure.
      (dialect) => pick<Verdict>(dialect, { jest: 'PASS', vitest: 'PASS', playwright: 'FAIL' }),
    ),
    {
      name: 'an expected failure whose hook fails is what the framework says',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.beforeEach}(() => { throw new Error('hook broke') })
            ${dialect.expectFailure('breaks', '')}`,
          steps: [
            // Jest turns only what the test itself throws; in Playwright the hook keeps the test from saying so.
            ['breaks', pick<Verdict>(dialect, { jest: 'FAIL', vitest: 'PASS', playwright: 'FAIL' })],
          ],
        }),
    },
    {
      name: 'concurrent tests of a file have each their own verdict and time',
      scenario: (dialect) => {
        const { options, word } = pick(dialect, {
          jest: { options: '', word: 'test.concurrent' },
          vitest: { options: '', word: 'test.concurrent' },
          playwright: { options: 'fullyParallel: true, workers: 2,', word: 'test' },
        })
        const steps: Steps = [
          ['slow', 'PASS'],
          ['fast', 'FAIL'],
        ]
        return {
          ...oneFile(dialect, {
            options,
            body: `${word}('slow', async () => { await new Promise((done) => setTimeout(done, 700)) })
              ${word}('fast', async () => { throw new Error('only this one') })\n`,
            steps,
            unordered: true,
            variables: { tests_passed: '1', tests_failed: '1' },
            log: ['only this one'],
          }),
        }
      },
    },
  ],
}
