import { expect } from 'vitest'
import { pick, type Chapter, type Execution, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { IN_ORDER } from '../in-order'
import type { CommandResult } from '../../support/project'

const HOLDS = "test('holds', () => {})\n"
const LARGE = `// ${'large '.repeat(500)}\n`
const GOOD: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
const CUT: ExpectedRun = {
  file: 'b.test.js',
  outcome: 'FAIL',
  steps: [
    ['holds', 'PASS'],
    ['Interrupted', 'FAIL'],
  ],
}

// Configs are read in the main process first; workers inherit its environment.
const MAIN_PROCESS = '...((process.env.MAIN_PROCESS ??= String(process.pid)) && {}),'

/** One file that finishes, one that sends the framework's main process a signal, one that never begins. */
function signalled(
  dialect: Dialect,
  signal: 'SIGINT' | 'SIGTERM',
  ofJest = 'maxWorkers: 1,',
): Scenario['files'] {
  const options = pick(dialect, {
    jest: ofJest,
    vitest: `pool: 'forks', ${IN_ORDER}`,
    playwright: 'workers: 1,',
  })
  return {
    ...dialect.config(options + MAIN_PROCESS),
    // Jest begins with the largest file.
    'a.test.js': dialect.head + HOLDS + LARGE + LARGE,
    'b.test.js': `${dialect.head}${HOLDS}
      test('is cut', async () => {
        await new Promise((done) => setTimeout(done, 1500))
        process.kill(Number(process.env.MAIN_PROCESS), '${signal}')
        await new Promise((done) => setTimeout(done, 4000))
      })\n${LARGE}`,
    'c.test.js': dialect.head + HOLDS,
  }
}

const untold = (framework: string, signal: string) =>
  `${framework} calls no reporter at ${signal}: what had finished by then is in the spool, and on record after \`runledger upload\`.`

/** Runs the command to its end by a signal, then sends what the spool holds. */
async function runAndUpload({ run, upload }: Execution): Promise<CommandResult> {
  const result = await run()
  const { exitCode, stdout, stderr } = await upload()
  expect(exitCode, stdout + stderr).toBe(0)
  return result
}

export const SIGNALS: Chapter = {
  title: 'Signals',
  behaviours: [
    {
      name: 'files that had finished when SIGINT ends the execution are on record',
      isCore: true,
      scenario: (dialect) => ({
        files: signalled(dialect, 'SIGINT'),
        exitCode: pick(dialect, { jest: null, vitest: 130, playwright: 130 }),
        runs: pick(dialect, { jest: [GOOD], vitest: [GOOD], playwright: [GOOD, CUT] }),
        drive: runAndUpload,
        ...pick<Partial<Scenario>>(dialect, {
          jest: { invariantException: untold('Jest', 'SIGINT') },
          vitest: { invariantException: untold('Vitest', 'SIGINT') },
          playwright: {},
        }),
      }),
    },
    {
      name: 'files that had finished when SIGTERM ends the execution are on record',
      isCore: true,
      scenario: (dialect) => ({
        files: signalled(dialect, 'SIGTERM'),
        exitCode: pick(dialect, { jest: null, vitest: 143, playwright: null }),
        runs: [GOOD],
        drive: runAndUpload,
        invariantException: untold(
          pick(dialect, { jest: 'Jest', vitest: 'Vitest', playwright: 'Playwright' }),
          'SIGTERM',
        ),
      }),
    },
    {
      name: 'files that had finished when SIGINT ends an execution with workers are on record',
      scenario: (dialect) => {
        if (dialect.framework !== 'jest')
          return { notPossible: 'Only Jest can do without workers; the others are signalled with one above.' }
        return {
          // One worker that is not Jest's own process.
          files: signalled(dialect, 'SIGINT', "maxWorkers: 1, workerIdleMemoryLimit: '2GB',"),
          exitCode: null,
          runs: [GOOD],
          drive: runAndUpload,
          invariantException: untold('Jest', 'SIGINT'),
        }
      },
    },
    {
      name: 'delivery is whole before a forced exit',
      scenario: (dialect) => {
        if (dialect.framework !== 'jest') return { notPossible: 'Only Jest has a forced exit (--forceExit).' }
        return {
          files: {
            ...dialect.config(),
            'a.test.js': `test('holds', () => { setInterval(() => {}, 1000) })\n`,
            'b.test.js': HOLDS,
          },
          args: ['--forceExit', '--runInBand'],
          exitCode: 0,
          runs: [GOOD, { ...GOOD, file: 'b.test.js' }],
        }
      },
    },
  ],
}
