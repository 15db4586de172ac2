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
        // In Jest what is under way is on record a second later.
        await new Promise((done) => setTimeout(done, 2500))
        process.kill(Number(process.env.MAIN_PROCESS), '${signal}')
        await new Promise((done) => setTimeout(done, 4000))
      })\n${LARGE}`,
    'c.test.js': dialect.head + HOLDS,
  }
}

const UNTOLD =
  'Playwright calls no reporter at SIGTERM: what had finished by then is in the spool, and on record after `runledger upload`.'

/** Runs the command to its end by a signal, then sends what the spool holds. */
export async function runAndUpload({ run, upload }: Execution): Promise<CommandResult> {
  const result = await run()
  const { exitCode, stdout, stderr } = await upload()
  expect(exitCode, stdout + stderr).toBe(0)
  return result
}

export const SIGNALS: Chapter = {
  title: 'Signals',
  behaviours: [
    {
      name: 'what had run when SIGINT ends the execution is on record, the file under way as failed',
      isCore: true,
      scenario: (dialect) => ({
        files: signalled(dialect, 'SIGINT'),
        exitCode: pick(dialect, { jest: null, vitest: 130, playwright: 130 }),
        runs: [GOOD, CUT],
        drive: runAndUpload,
      }),
    },
    {
      name: 'files that had finished when SIGTERM ends the execution are on record',
      isCore: true,
      scenario: (dialect) => ({
        files: signalled(dialect, 'SIGTERM'),
        exitCode: pick(dialect, { jest: null, vitest: 143, playwright: null }),
        runs: pick(dialect, { jest: [GOOD, CUT], vitest: [GOOD, CUT], playwright: [GOOD] }),
        drive: runAndUpload,
        ...(dialect.framework === 'playwright' && { invariantException: UNTOLD }),
      }),
    },
    {
      name: 'what had run when SIGINT ends an execution with workers is on record, the file under way as failed',
      scenario: (dialect) => {
        if (dialect.framework !== 'jest')
          return { notPossible: 'Only Jest can do without workers; the others are signalled with one above.' }
        return {
          // One worker that is not Jest's own process.
          files: signalled(dialect, 'SIGINT', "maxWorkers: 1, workerIdleMemoryLimit: '2GB',"),
          exitCode: null,
          runs: [GOOD, CUT],
          drive: runAndUpload,
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
