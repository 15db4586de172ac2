import { expect } from 'vitest'
import { pick, type Chapter } from '../behaviour'
import { readStepSpan } from '../clocks'
import type { Dialect } from '../dialect'
import { oneFile, type OneFile } from '../one-file'
import { NO_ATTACHMENTS } from './attachments'

/** One test `reads` that may be tried `times` more times; the body may use `number`, counted from 1. */
function retried(dialect: Dialect, { times, body, ...rest }: OneFile & { times: number }) {
  return oneFile(dialect, {
    options: `${dialect.retries(times)} ${dialect.timeout(5000)}`,
    body: `${dialect.retryLine(times)}${dialect.attemptLine}${body}`,
    ...rest,
  })
}

const LASTS_100_MS = 'await new Promise((done) => setTimeout(done, 100))'
const FAILS_UNTIL = (last: number) =>
  `test('reads', async () => { const number = attempt(); ${LASTS_100_MS}
    if (number < ${last}) throw new Error('try no. ' + number) })\n`
export const NO_SERIAL = 'No groups that are retried as a whole: only Playwright Test has serial mode.'

export const ATTEMPTS: Chapter = {
  title: 'Retries',
  behaviours: [
    {
      name: 'a test that passes on its third attempt is one passed step over all of them, and flaky',
      isCore: true,
      scenario: (dialect) =>
        retried(dialect, {
          times: 2,
          body: `${FAILS_UNTIL(3)}test('holds', () => {})\n`,
          steps: [
            ['reads', 'PASS'],
            ['holds', 'PASS'],
          ],
          variables: { tests_passed: '2', tests_failed: '0', tests_flaky: '1', retries: '2' },
          log: [
            'try no. 1',
            'try no. 2',
            /reads \(.*3 attempts, flaky/,
            'attempt 1: failed',
            'attempt 3: passed',
          ],
          check: ({ runs: [run] }) => {
            expect(readStepSpan(run, 'reads').durationMs).toBeGreaterThanOrEqual(295)
          },
        }),
    },
    {
      name: 'a test all of whose attempts fail is one failed step, with every error in the log',
      isCore: true,
      scenario: (dialect) =>
        retried(dialect, {
          times: 2,
          body: FAILS_UNTIL(9),
          steps: [['reads', 'FAIL']],
          variables: { tests_failed: '1', tests_flaky: '0', retries: '2' },
          log: ['try no. 1', 'try no. 2', 'try no. 3', 'attempt 3: failed'],
          check: ({ runs: [run] }) => {
            expect(readStepSpan(run, 'reads').durationMs).toBeGreaterThanOrEqual(295)
            if (dialect.framework !== 'playwright') return
            const holders = run?.phases.filter(({ name }) => / › Attempt \d of 3$/.test(name)) ?? []
            expect(holders.map(({ name, outcome }) => [name, outcome])).toEqual([
              ['reads › Attempt 1 of 3', 'FAIL'],
              ['reads › Attempt 2 of 3', 'FAIL'],
            ])
          },
        }),
    },
    {
      name: 'a test that passes at once has no retry on record',
      scenario: (dialect) =>
        retried(dialect, {
          times: 2,
          body: FAILS_UNTIL(1),
          steps: [['reads', 'PASS']],
          variables: { tests_flaky: '0', retries: '0' },
        }),
    },
    {
      name: 'a flaky test beside a failed one leaves the run failed and is counted alone',
      scenario: (dialect) =>
        retried(dialect, {
          times: 1,
          body: `${FAILS_UNTIL(2)}test('breaks', () => { throw new Error('always') })\n`,
          steps: [
            ['reads', 'PASS'],
            ['breaks', 'FAIL'],
          ],
          variables: { tests_passed: '1', tests_failed: '1', tests_flaky: '1', retries: '2' },
          log: ['try no. 1', 'always'],
        }),
    },
    {
      name: 'an attempt that runs out of time is told apart from the one that passes',
      scenario: (dialect) =>
        oneFile(dialect, {
          options: `${dialect.retries(1)} ${dialect.timeout(1500)}`,
          body: `${dialect.retryLine(1)}${dialect.attemptLine}
            test('reads', async () => { if (attempt() === 1) await new Promise(() => {}) })\n`,
          steps: [['reads', 'PASS']],
          variables: { tests_flaky: '1', retries: '1' },
          log: [/time(d )?.?out/i],
          check: ({ runs: [run] }) => {
            expect(readStepSpan(run, 'reads').durationMs).toBeGreaterThanOrEqual(1450)
          },
        }),
    },
    {
      name: 'a beforeEach hook that fails in the first attempt makes its test flaky',
      scenario: (dialect) =>
        retried(dialect, {
          times: 1,
          body: `${dialect.beforeEach}(() => { if (attempt() === 1) throw new Error('not ready') })
            test('reads', () => {})\n`,
          steps: [['reads', 'PASS']],
          variables: { tests_flaky: '1', retries: '1' },
          log: ['not ready'],
        }),
    },
    {
      name: 'an afterEach hook that fails in the first attempt makes its test flaky',
      scenario: (dialect) =>
        retried(dialect, {
          times: 1,
          body: `${dialect.afterEach}(() => { if (attempt() === 1) throw new Error('not clean') })
            test('reads', () => {})\n`,
          steps: [['reads', 'PASS']],
          variables: { tests_flaky: '1', retries: '1' },
          log: ['not clean'],
        }),
    },
    {
      name: 'an expected failure with retries is neither flaky nor retried on record',
      scenario: (dialect) =>
        oneFile(dialect, {
          options: dialect.retries(2),
          body: dialect.retryLine(2) + dialect.expectFailure('breaks', "throw new Error('as known')"),
          steps: [['breaks', 'PASS']],
          variables: { tests_flaky: '0', retries: '0' },
        }),
    },
    {
      name: 'tests of one name keep their attempts apart',
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return { notPossible: 'Playwright refuses to load a file with two tests of one name.' }
        return retried(dialect, {
          times: 1,
          body: `test('same', () => {})\ntest('same', () => { if (attempt() === 1) throw new Error('second') })
            test('same', () => { throw new Error('third') })\n`,
          steps: [
            ['same', 'PASS'],
            ['same (2)', 'PASS'],
            ['same (3)', 'FAIL'],
          ],
          variables: { tests_flaky: '1', retries: '2' },
          log: ['second', 'third'],
        })
      },
    },
    {
      name: 'each attempt has its own attachments on record',
      scenario: (dialect) => {
        if (dialect.framework === 'jest') return NO_ATTACHMENTS
        const body = pick(dialect, {
          jest: '',
          vitest: `async ({ annotate }) => { const number = attempt()
            await annotate('reading', { body: btoa('try ' + number), contentType: 'text/plain' })`,
          playwright: `async ({}, info) => { const number = attempt()
            await info.attach('reading', { body: 'try ' + number, contentType: 'text/plain' })`,
        })
        return retried(dialect, {
          times: 1,
          body: `test('reads', ${body}\nif (number === 1) throw new Error('try no. 1') })\n`,
          steps: [['reads', 'PASS']],
          variables: { tests_flaky: '1', retries: '1' },
          check: async ({ runs: [run], service }) => {
            if (!run) throw new Error('no run')
            for (const number of [1, 2]) {
              const bytes = await service.download(run, `reads/attempt-${number}/reading.txt`)
              expect(bytes.toString()).toBe(`try ${number}`)
            }
          },
        })
      },
    },
    {
      name: 'a serial group that is retried whole is one step for each test',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright') return { notPossible: NO_SERIAL }
        return retried(dialect, {
          times: 1,
          body: `test.describe.configure({ mode: 'serial' })
            test('first', () => {})
            test('second', () => { if (attempt() === 1) throw new Error('try no. 1') })
            test('third', () => {})\n`,
          steps: [
            ['first', 'PASS'],
            ['second', 'PASS'],
            ['third', 'PASS'],
          ],
          variables: { tests_passed: '3', tests_flaky: '1', retries: '2' },
          log: ['try no. 1'],
        })
      },
    },
    {
      name: 'what follows a failed test of a serial group did not run',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright') return { notPossible: NO_SERIAL }
        return retried(dialect, {
          times: 1,
          body: `test.describe.configure({ mode: 'serial' })
            test('first', () => {})
            test('second', () => { throw new Error('try no. ' + attempt()) })
            test('third', () => {})\n`,
          steps: [
            ['first', 'PASS'],
            ['second', 'FAIL'],
          ],
          variables: { tests_failed: '1', tests_skipped: '1', retries: '2' },
          log: ['try no. 1', 'try no. 2'],
        })
      },
    },
  ],
}
