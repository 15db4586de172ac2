import { expect } from 'vitest'
import type { Chapter, ExpectedRun, Observation, Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile, type OneFile } from '../one-file'
import { PAUSE, speaks } from '../speech'

function speaking(dialect: Dialect, { body, ...rest }: OneFile): Scenario {
  return oneFile(dialect, { body: speaks(dialect) + body, ...rest })
}

const SOFT = "{ unit: 'V', high: 3.4, soft: true }"

/** Messages of the errors of a step on record. */
function listErrors({ runs: [run] }: Observation, name: string): string[] {
  const phase = run?.phases.find((each) => each.name === name)
  return (phase?.errors ?? []).map(({ message }) => message)
}

/** Hooks of a describe block, a throw and an expected failure, each with a value outside its limits. */
function softEverywhere({ describe, beforeEach, afterEach, expectFailure }: Dialect): string {
  return `${describe}('before', () => {
      ${beforeEach}(() => { measure('input', 5, ${SOFT}) })
      test('goes on', () => { log('went on') })
    })
    ${describe}('after', () => {
      ${afterEach}(() => { measure('rest', 6, ${SOFT}) })
      test('has ended', () => {})
    })
    test('throws', () => {
      measure('output', 7, ${SOFT})
      throw new Error('dark display')
    })
    ${expectFailure('is expected to fail', `measure('output', 8, ${SOFT})`)}
    test('holds', () => {})\n`
}

const SOFT_EVERYWHERE: ExpectedRun['steps'] = [
  ['before › goes on', 'FAIL'],
  ['before › goes on › input', 'FAIL'],
  ['after › has ended', 'FAIL'],
  ['after › has ended › rest', 'FAIL'],
  ['throws', 'FAIL'],
  ['throws › output', 'FAIL'],
  ['is expected to fail', 'PASS'],
  ['is expected to fail › output', 'FAIL'],
  ['holds', 'PASS'],
]

export const LIMITS: Chapter = {
  title: 'Limits of measured values',
  behaviours: [
    {
      name: 'soft values outside their limits fail the test at its end, which names each of them',
      isCore: true,
      scenario: (dialect) =>
        speaking(dialect, {
          body: `test('soft', async () => {
              measure('output', 3.5, ${SOFT})
              await Promise.resolve()
              measureAll('ripple', [10, 20, 60], { high: 50, soft: true })
              log('went on')
            })
            test('holds', () => { measure('output', 3.3, ${SOFT}) })\n`,
          steps: [
            ['soft', 'FAIL'],
            ['soft › output', 'FAIL'],
            ['soft › ripple #1', 'PASS'],
            ['soft › ripple #2', 'PASS'],
            ['soft › ripple #3', 'FAIL'],
            ['holds', 'PASS'],
            ['holds › output', 'PASS'],
          ],
          variables: { tests_passed: '1', tests_failed: '1' },
          log: ['went on'],
          check: (outcome) => {
            expect(listErrors(outcome, 'soft')).toEqual([
              expect.stringMatching(/measure\("output"\)\n\nExpected: at most 3.4 V\nReceived: 3.5 V$/),
              expect.stringMatching(/measureAll\("ripple"\)\n\nExpected:  at most 50\nripple #3: 60$/),
            ])
            const [error] = outcome.runs[0]?.phases[0]?.errors ?? []
            expect(error?.location).toMatchObject({ file: 'a.test.js' })
          },
        }),
    },
    {
      name: 'a soft value outside its limits in a hook, before a throw and in an expected failure fails its own test',
      isCore: true,
      scenario: (dialect) =>
        speaking(dialect, {
          body: softEverywhere(dialect),
          steps: SOFT_EVERYWHERE,
          variables: { tests_passed: '2', tests_failed: '3' },
          log: ['went on'],
          check: (outcome) => {
            const errors = listErrors(outcome, 'throws').join('\n')
            expect(errors).toContain('Received: 7 V')
            expect(errors).toContain('dark display')
          },
        }),
    },
    {
      name: 'a soft value outside its limits fails the attempt in which it was measured',
      isCore: true,
      scenario: (dialect) =>
        speaking(dialect, {
          options: dialect.retries(1),
          body: `${dialect.retryLine(1)}${dialect.attemptLine}
            test('reads', () => { measure('output', attempt() === 1 ? 5 : 3, ${SOFT}) })
            test('holds', () => {})\n`,
          steps: [
            ['reads', 'PASS'],
            ['reads › output', 'PASS'],
            ['holds', 'PASS'],
          ],
          variables: { tests_passed: '2', tests_flaky: '1', retries: '1' },
        }),
    },
    {
      name: 'a soft value outside its limits in one of several concurrent tests fails that one',
      isCore: true,
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return { notPossible: 'A worker of Playwright Test runs one test at a time.' }
        const [given, own] = dialect.framework === 'vitest' ? ['ctx', 'withTest(ctx).'] : ['', '']
        const one = (title: string, value: number, ms: number) =>
          `test.concurrent('${title}', async (${given}) => { await pause(${ms}); ${own}measure('output', ${value}, ${SOFT}); await pause(40) })\n`
        return speaking(dialect, {
          body: PAUSE + one('slow', 5, 90) + one('quick', 3, 10) + one('middle', 6, 50) + one('last', 2, 100),
          steps: [
            ['slow', 'FAIL'],
            ['slow › output', 'FAIL'],
            ['quick', 'PASS'],
            ['quick › output', 'PASS'],
            ['middle', 'FAIL'],
            ['middle › output', 'FAIL'],
            ['last', 'PASS'],
            ['last › output', 'PASS'],
          ],
          unordered: true,
          variables: { tests_passed: '2', tests_failed: '2' },
          check: (outcome) => {
            expect(listErrors(outcome, 'slow').join()).toContain('Received: 5 V')
            expect(listErrors(outcome, 'middle').join()).toContain('Received: 6 V')
          },
        })
      },
    },
    {
      name: 'a soft value outside its limits in a concurrent test fails each of its attempts that measures one',
      scenario: (dialect, { framework, release }) => {
        if (framework === 'playwright')
          return { notPossible: 'A worker of Playwright Test runs one test at a time.' }
        const [given, own] = framework === 'vitest' ? ['ctx', 'withTest(ctx).'] : ['', '']
        // Jest 29 awaits what the function returned before: its retries measure nothing.
        const measured: ExpectedRun['steps'][number] = ['always › output', 'FAIL']
        const isCalledAgain = framework !== 'jest' || release >= 30
        return speaking(dialect, {
          options: dialect.retries(2),
          body: `${PAUSE}${dialect.retryLine(2)}
            test.concurrent('always', async (${given}) => { await pause(30); ${own}measure('output', 5, ${SOFT}) })
            test.concurrent('never', async () => { await pause(60) })\n`,
          steps: [['always', 'FAIL'], ...(isCalledAgain ? [measured] : []), ['never', 'PASS']],
          unordered: true,
          variables: { tests_passed: '1', tests_failed: '1', retries: '2' },
        })
      },
    },
    {
      name: 'values whose limits are only recorded fail nothing, and the run tells of those outside',
      isCore: true,
      scenario: (dialect) =>
        speaking(dialect, {
          body: `test('soaks', () => {
              measureAll('ripple', [10, 60, 70], { unit: 'mV', high: 50, limits: 'record' })
              measure('rest', 1, { high: 2, limits: 'record' })
              log('soaked')
            })\n`,
          steps: ['', ' › ripple #1', ' › ripple #2', ' › ripple #3', ' › rest'].map((rest) => [
            `soaks${rest}`,
            'PASS',
          ]),
          variables: { tests_passed: '1', tests_failed: '0' },
          log: ['✗ ripple #2 = 60 mV (at most 50 mV), recorded only', 'soaked'],
          check: ({ runs: [run], result: { stderr } }) => {
            expect(run?.measurements_outside_limits).toBe(2)
            expect(
              run?.phases.flatMap(({ measurements }) => measurements.map(({ outcome }) => outcome)),
            ).toEqual(['PASS', 'FAIL', 'FAIL', 'PASS'])
            expect(stderr).toContain('1 run on record, passed, 2 measurements outside their limits: http')
          },
        }),
    },
    {
      name: 'a soft value outside its limits throws where no test runs',
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return {
            notPossible: 'In Playwright a beforeAll hook belongs to the first test, as for expect.soft.',
          }
        const scenario = speaking(dialect, {
          body: `${dialect.beforeAll}(() => {
              try {
                measure('room', 41, { unit: '°C', high: 40, soft: true })
              } catch (error) {
                log('threw ' + error.message)
              }
            })
            test('holds', () => {})\n`,
          steps: [
            ['room', 'FAIL'],
            ['holds', 'PASS'],
          ],
          log: ['threw measure("room")'],
        })
        const runs = scenario.runs.map((run): ExpectedRun => ({ ...run, outcome: 'PASS' }))
        return { ...scenario, exitCode: 0, runs }
      },
    },
  ],
}
