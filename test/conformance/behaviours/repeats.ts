import { type Chapter } from '../behaviour'
import { oneFile } from '../one-file'
import { NO_SERIAL } from './attempts'

const NO_REPEATS = 'Jest cannot repeat a test: it has neither an option nor a call for it.'

const ONLY_PLAYWRIGHT_BLAMES = 'Only Playwright blames a test for an afterAll error.'

const NOT_ONE_RESULT = {
  jest: NO_REPEATS,
  playwright: 'Playwright tells each repetition as a test of its own.',
}

export const REPEATS: Chapter = {
  title: 'Retries that end otherwise, and repeats',
  behaviours: [
    {
      name: 'a test that fails and is then skipped on its retry never passed',
      scenario: (dialect, { release }) => {
        if (dialect.framework === 'jest')
          return { notPossible: 'Jest cannot skip a test from inside it: jest-circus has no such call.' }
        const playwright = dialect.framework === 'playwright'
        const skip = playwright ? "test.skip(true, 'gave up')" : "skip('gave up')"
        const scenario = oneFile(dialect, {
          options: dialect.retries(1),
          body: `${dialect.attemptLine}
            test('reads', async (${playwright ? '' : '{ skip }'}) => {
              if (attempt() === 1) throw new Error('try no. 1')
              ${skip}
            })
            test('holds', () => {})\n`,
          steps: playwright
            ? [
                ['reads', 'FAIL'],
                ['holds', 'PASS'],
              ]
            : [['holds', 'PASS']],
          variables: playwright
            ? { tests_flaky: '0', retries: '1' }
            : { tests_flaky: '0', tests_skipped: '1', retries: release >= 5 ? '1' : '0' },
          // Vitest tells of the tries before a skip since version 5.
          log: playwright || release >= 5 ? ['try no. 1', 'gave up'] : ['gave up'],
        })
        if (!playwright) return scenario
        return {
          ...scenario,
          exitCode: 0,
          invariantException:
            'A decision of ours: Playwright calls a test that failed and was then skipped on its retry flaky and ends with 0, but it never passed.',
        }
      },
    },
    {
      name: 'a test that passes and is then skipped when its group is tried again has passed',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright') return { notPossible: NO_SERIAL }
        return oneFile(dialect, {
          options: dialect.retries(2),
          body: `test.describe.configure({ mode: 'serial' })
            test('holds', () => { test.skip(test.info().retry > 0, 'is known to hold') })
            test('reads', () => {
              test.skip(test.info().retry > 1, 'is known to read')
              if (test.info().retry === 0) throw new Error('try no. 1')
            })
            test('is last', () => { if (test.info().retry < 2) throw new Error('try no. ' + test.info().retry) })\n`,
          steps: [
            ['holds', 'PASS'],
            ['reads', 'PASS'],
            ['is last', 'PASS'],
          ],
          variables: { tests_passed: '3', tests_failed: '0', tests_flaky: '2', retries: '5' },
          log: ['is known to hold', 'is known to read'],
        })
      },
    },
    {
      name: 'an afterAll error of a retry is on record where the framework blames a test not to be run for it',
      scenario: (dialect, { release }) => {
        if (dialect.framework !== 'playwright') return { notPossible: ONLY_PLAYWRIGHT_BLAMES }
        const scenario = oneFile(dialect, {
          options: dialect.retries(1),
          body: `test.describe.configure({ mode: 'serial' })
            test.afterAll(() => { if (test.info().retry === 1) throw new Error('not clean') })
            test('reads', () => { if (test.info().retry === 0) throw new Error('try no. 1') })
            test.fixme('waits', () => {})\n`,
          steps: [
            ['reads', 'PASS'],
            ['waits', 'FAIL'],
          ],
          variables: { tests_passed: '1', tests_failed: '1', tests_flaky: '1', retries: '1' },
          log: ['not clean'],
        })
        if (release === 140) return scenario
        return {
          ...scenario,
          exitCode: 0,
          invariantException:
            'A decision of ours: Playwright calls a test that was left out and then failed on its retry flaky and ends with 0, but it never passed.',
        }
      },
    },
    {
      name: 'each repetition of a test is on record',
      scenario: (dialect) => {
        if (dialect.framework === 'jest') return { notPossible: NO_REPEATS }
        if (dialect.framework === 'vitest')
          return oneFile(dialect, {
            body: "let calls = 0\ntest('reads', { repeats: 2 }, () => { console.log('repetition ' + (calls += 1)) })\n",
            // Vitest tells one result of all repetitions.
            steps: [['reads', 'PASS']],
            variables: { tests_passed: '1', tests_flaky: '0', retries: '0' },
            log: ['repetition 1', 'repetition 3'],
          })
        return oneFile(dialect, {
          args: ['--repeat-each=3'],
          body: "test('reads', ({}, info) => { expect(info.repeatEachIndex).not.toBe(1) })\n",
          steps: [
            ['reads', 'PASS'],
            ['reads (2)', 'FAIL'],
            ['reads (3)', 'PASS'],
          ],
          unordered: true,
          variables: { tests_passed: '2', tests_failed: '1', tests_flaky: '0', retries: '0' },
        })
      },
    },
    {
      name: 'each retry of a repeated test is counted',
      scenario: (dialect) => {
        if (dialect.framework !== 'vitest') return { notPossible: NOT_ONE_RESULT[dialect.framework] }
        return oneFile(dialect, {
          body: `let calls = 0
            test('reads', { retry: 2, repeats: 2 }, () => {
              calls += 1
              if (calls === 1 || calls === 3) throw new Error('call no. ' + calls)
            })\n`,
          steps: [['reads', 'PASS']],
          variables: { tests_flaky: '1', retries: '2' },
          log: [/attempt 1: failed\s+Error: call no\. 1/, /attempt 2: failed\s+Error: call no\. 3/],
        })
      },
    },
    {
      name: 'a test one of whose repetitions fails is failed',
      scenario: (dialect) => {
        if (dialect.framework !== 'vitest') return { notPossible: NOT_ONE_RESULT[dialect.framework] }
        return oneFile(dialect, {
          body: `let calls = 0
            test('reads', { repeats: 2 }, () => { calls += 1; if (calls === 2) throw new Error('repetition 2') })\n`,
          steps: [['reads', 'FAIL']],
          variables: { tests_failed: '1', tests_flaky: '0' },
          log: ['repetition 2'],
        })
      },
    },
    {
      name: 'a beforeAll hook that fails in the first attempt is on record as the framework ends it',
      scenario: (dialect) => {
        const playwright = dialect.framework === 'playwright'
        const body = `${dialect.retryLine(1)}${dialect.attemptLine}
          ${dialect.beforeAll}(() => { if (attempt() === 1) throw new Error('not ready') })
          test('first', () => {})\ntest('second', () => {})\n`
        // Only Playwright tries a beforeAll hook again, with its first test.
        if (playwright)
          return oneFile(dialect, {
            options: dialect.retries(1),
            body,
            steps: [
              ['first', 'PASS'],
              ['second', 'PASS'],
            ],
            variables: { tests_flaky: '1', retries: '1' },
            log: ['not ready'],
          })
        const steps: [string, 'FAIL'][] =
          dialect.framework === 'jest'
            ? [
                ['first', 'FAIL'],
                ['second', 'FAIL'],
              ]
            : [['beforeAll hook', 'FAIL']]
        return oneFile(dialect, { options: dialect.retries(1), body, steps, log: ['not ready'] })
      },
    },
  ],
}
