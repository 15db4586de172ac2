import { pick, type Chapter, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { IN_ORDER } from '../in-order'

type Steps = ExpectedRun['steps']

const FAILS = "test('fails', () => { throw new Error('out of limits') })\n"
const HOLDS = "test('holds', () => {})\n"
// Jest begins with the larger file.
const LARGE = `// ${'large '.repeat(500)}\n`

/** Files one after another, or side by side in two workers, stopped after so many failures. */
function bail(dialect: Dialect, failures: number, workers = 1): string {
  return pick(dialect, {
    jest: `bail: ${failures}, maxWorkers: ${workers},`,
    vitest: `bail: ${failures}, maxWorkers: ${workers}, ${workers > 1 ? '' : IN_ORDER}`,
    playwright: `maxFailures: ${failures}, workers: ${workers},`,
  })
}

function failed(file: string, steps: Steps, rest: Partial<ExpectedRun> = {}): ExpectedRun {
  return { file, outcome: 'FAIL', steps, ...rest }
}

/** `a.test.js` holds a failing test between two others, `b.test.js` comes after it. */
function twoFiles(dialect: Dialect, options: string): Scenario['files'] {
  return {
    ...dialect.config(options),
    'a.test.js': `${dialect.head}${HOLDS}${FAILS}test('is left', () => {})\n${LARGE}`,
    'b.test.js': dialect.head + HOLDS,
  }
}

const WHOLE: Steps = [
  ['holds', 'PASS'],
  ['fails', 'FAIL'],
  ['is left', 'PASS'],
]
const SLOW_TEST: Steps = [['is slow', 'PASS']]
const CUT: Steps = [
  ['holds', 'PASS'],
  ['fails', 'FAIL'],
  ['Interrupted', 'FAIL'],
]

export const BAIL: Chapter = {
  title: 'Executions that stop at a failure',
  behaviours: [
    {
      name: 'files after the last failure that is allowed have no run',
      isCore: true,
      scenario: (dialect) => ({
        files: twoFiles(dialect, bail(dialect, 1)),
        exitCode: 1,
        runs: pick(dialect, {
          // Jest bails between files: it finishes the one that fails.
          jest: [failed('a.test.js', WHOLE)],
          vitest: [failed('a.test.js', CUT, { variables: { tests_passed: '1', tests_failed: '1' } })],
          playwright: [failed('a.test.js', CUT, { variables: { tests_passed: '1', tests_failed: '1' } })],
        }),
      }),
    },
    {
      name: 'as long as more failures are allowed everything runs',
      scenario: (dialect) => ({
        files: twoFiles(dialect, bail(dialect, 5)),
        exitCode: 1,
        runs: [
          failed('a.test.js', WHOLE),
          { file: 'b.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
        ],
      }),
    },
    {
      name: 'files that are under way in other workers have their finished tests on record',
      isCore: true,
      scenario: (dialect, { release }) => {
        const slow = `${dialect.head}${HOLDS}
            test('is slow', () => new Promise((done) => setTimeout(done, 9000)), 30000)
            test('never begins', () => {})\n${LARGE}`
        const cut: Steps = [
          ['holds', 'PASS'],
          // Vitest 3 lets a test that is under way run to its end.
          ...(dialect.framework === 'vitest' && release === 3 ? SLOW_TEST : []),
          ['Interrupted', 'FAIL'],
        ]
        return {
          files: {
            ...dialect.config(bail(dialect, 1, 3)),
            'a.test.js': `${dialect.head}test('fails', async () => {
              await new Promise((done) => setTimeout(done, 3500))
              throw new Error('out of limits')
            })\n`,
            'b.test.js': slow,
            'c.test.js': slow,
          },
          exitCode: 1,
          runs: [
            failed('a.test.js', [['fails', 'FAIL']]),
            failed('b.test.js', cut),
            failed('c.test.js', cut),
          ],
        }
      },
    },
    {
      name: 'a bail that the last file reaches leaves all verdicts alone',
      scenario: (dialect) => ({
        files: {
          ...dialect.config(bail(dialect, 1)),
          'a.test.js': `${dialect.head}${HOLDS}${LARGE}`,
          'b.test.js': `${dialect.head}${HOLDS}${FAILS}`,
        },
        exitCode: 1,
        runs: [
          { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
          failed('b.test.js', [
            ['holds', 'PASS'],
            ['fails', 'FAIL'],
          ]),
        ],
      }),
    },
    {
      name: 'a file that cannot be loaded counts as a failure where the framework counts it',
      scenario: (dialect) => {
        const files = {
          ...dialect.config(bail(dialect, 1)),
          'a.test.js': `${dialect.head}throw new Error('bad file')\n${LARGE}`,
          'b.test.js': dialect.head + HOLDS,
        }
        const bad = failed('a.test.js', [['Suite failed to load', 'FAIL']])
        const good: ExpectedRun = { file: 'b.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
        return {
          files,
          exitCode: 1,
          // Jest and Vitest count failed tests; Playwright runs nothing at all.
          runs: pick(dialect, { jest: [bad, good], vitest: [bad, good], playwright: [bad] }),
        }
      },
    },
  ],
}
