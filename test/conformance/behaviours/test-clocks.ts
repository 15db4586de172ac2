import { expect } from 'vitest'
import { pick, type Behaviour, type Chapter, type Observation } from '../behaviour'
import { readStepSpan } from '../clocks'
import { oneFile } from '../one-file'

const LASTS_MS = 1200
/** Where a worker's clock cannot be trusted, times are those at which its messages came: later on a busy machine. */
const MESSAGE_MS = 150
const TESTS = `test('mocks', async () => { mock() })
  test('lasts', async () => { await wait(${LASTS_MS}) })
  test('comes after', () => {})\n`
const STEPS: [string, 'PASS'][] = [
  ['mocks', 'PASS'],
  ['lasts', 'PASS'],
  ['comes after', 'PASS'],
]
/** A wait by the real clock, whatever the file does to the one that tests see. */
const REAL_WAIT = `const realSetTimeout = setTimeout
  const wait = (ms) => new Promise((done) => realSetTimeout(done, ms))\n`

function expectRealDurations({ runs: [run] }: Observation): void {
  const lasts = readStepSpan(run, 'lasts')
  expect(lasts.durationMs).toBeGreaterThanOrEqual(LASTS_MS - MESSAGE_MS)
  expect(readStepSpan(run, 'comes after').startedAtMs).toBeGreaterThanOrEqual(
    lasts.startedAtMs + LASTS_MS - MESSAGE_MS,
  )
}

/** A file whose first test does something to its clock and never undoes it; every behaviour's times are checked. */
function mockedClock(name: string, mock: string): Behaviour {
  return {
    name,
    scenario: (dialect) =>
      oneFile(dialect, {
        body: `${REAL_WAIT}const mock = () => { ${mock} }\n${TESTS}`,
        steps: STEPS,
        check: expectRealDurations,
      }),
  }
}

export const TEST_CLOCKS: Chapter = {
  title: 'Clocks that tests change',
  behaviours: [
    {
      name: 'fake timers that are left on change no time on record',
      isCore: true,
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return { notPossible: 'Playwright Test fakes clocks in pages only, not those of its tests.' }
        const word = pick(dialect, { jest: 'jest', vitest: 'vi', playwright: '' })
        return oneFile(dialect, {
          body: `${REAL_WAIT}const mock = () => {
              ${word}.useFakeTimers(); ${word}.setSystemTime(new Date('2001-01-01')); ${word}.advanceTimersByTime(86400000)
            }\n${TESTS}`,
          steps: STEPS,
          check: expectRealDurations,
        })
      },
    },
    mockedClock('a Date.now that stands still changes no time on record', 'Date.now = () => 0'),
    mockedClock('a Date.now in the far future changes no time on record', 'Date.now = () => 4e12'),
    mockedClock('a Date.now that is no number changes no time on record', 'Date.now = () => NaN'),
    mockedClock(
      'a Date class of its own changes no time on record',
      `const Real = Date
        globalThis.Date = class extends Real {
          constructor(...args) { super(...(args.length > 0 ? args : [0])) }
          static now() { return 0 }
        }`,
    ),
    mockedClock('a performance.now that stands still changes no time on record', 'performance.now = () => 0'),
    mockedClock(
      'a process.hrtime that stands still changes no time on record',
      'process.hrtime = Object.assign(() => [0, 0], { bigint: () => 0n })',
    ),
    {
      name: 'a clock that is mocked at the top of a file changes no time on record',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${REAL_WAIT}const mock = () => {}\nDate.now = () => 0\n${TESTS}`,
          steps: STEPS,
          check: expectRealDurations,
        }),
    },
    {
      name: 'a clock that is mocked in one attempt leaves the step its real span',
      scenario: (dialect) =>
        oneFile(dialect, {
          options: dialect.retries(1),
          body: `${dialect.retryLine(1)}${dialect.attemptLine}${REAL_WAIT}
            test('reads', async () => {
              await wait(100)
              if (attempt() === 1) { Date.now = () => 0; throw new Error('try no. 1') }
            })\n`,
          steps: [['reads', 'PASS']],
          variables: { tests_flaky: '1', retries: '1' },
          check: ({ runs: [run] }) => {
            expect(readStepSpan(run, 'reads').durationMs).toBeGreaterThanOrEqual(195)
          },
        }),
    },
    {
      name: 'a clock that is mocked in one file leaves the next file alone',
      scenario: (dialect) => ({
        files: {
          ...dialect.config(),
          'a.test.js': `${dialect.head}test('mocks', () => { Date.now = () => 0 })\n`,
          'b.test.js': `${dialect.head}test('holds', () => {})\n`,
        },
        exitCode: 0,
        runs: [
          { file: 'a.test.js', outcome: 'PASS', steps: [['mocks', 'PASS']] },
          { file: 'b.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
        ],
      }),
    },
  ],
}
