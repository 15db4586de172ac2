import { pick, type Chapter, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'

const PRINTS = "test('prints', () => { console.log('three volts'); console.error('no volts') })\n"
const PRINTED: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['prints', 'PASS']] }

/** A file that prints and one that does not: of a single file Jest keeps less. */
function printing(
  dialect: Dialect,
  test: string,
  log: ExpectedRun['log'],
  more: Partial<Scenario> = {},
): Scenario {
  return {
    files: {
      ...dialect.config(),
      'a.test.js': dialect.head + test,
      'b.test.js': `${dialect.head}test('holds', () => {})\n`,
    },
    exitCode: 0,
    runs: [
      { ...PRINTED, ...(log && { log }) },
      { file: 'b.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
    ],
    ...more,
  }
}

export const OUTPUT: Chapter = {
  title: 'What tests print',
  behaviours: [
    {
      name: 'what a test prints to the console is in the log of its suite',
      isCore: true,
      scenario: (dialect) => printing(dialect, PRINTS, ['three volts', 'no volts']),
    },
    {
      name: 'what the only test file prints to the console is in its log',
      scenario: (dialect, { release }) => {
        if (dialect.framework === 'jest' && release < 30)
          return {
            notPossible:
              'Jest 29 prints what a single file prints as it comes, and tells reporters nothing of it.',
          }
        return {
          files: { ...dialect.config(), 'a.test.js': dialect.head + PRINTS },
          exitCode: 0,
          runs: [{ ...PRINTED, log: ['three volts', 'no volts'] }],
        }
      },
    },
    {
      name: 'what a test writes to stdout past the console is in the log of its suite',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright')
          return {
            notPossible:
              'Jest and Vitest tell reporters of console calls alone, not of what is written past them.',
          }
        return printing(dialect, "test('prints', () => { process.stdout.write('three volts') })\n", [
          'three volts',
        ])
      },
    },
    {
      name: 'output that the framework is told to silence is in the log where it still tells it',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright')
          return { notPossible: 'Jest and Vitest tell reporters no output then (--silent).' }
        return printing(dialect, PRINTS, ['three volts', 'no volts'], { args: ['--quiet'] })
      },
    },
    {
      name: 'a silenced execution is on record like any other',
      scenario: (dialect) =>
        printing(dialect, PRINTS, undefined, {
          args: pick(dialect, { jest: ['--silent'], vitest: ['--silent'], playwright: ['--quiet'] }),
        }),
    },
  ],
}
