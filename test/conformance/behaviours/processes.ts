import { pick, type Behaviour, type Chapter, type ExpectedRun } from '../behaviour'
import type { Dialect } from '../dialect'
import type { Target } from '../target'
import { runAndUpload } from './signals'

type Steps = ExpectedRun['steps']

const GOOD: ExpectedRun = { file: 'good.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
const HOLDS = "test('holds', () => {})\n"

/**
 * Two files in two workers, one of which ends its worker in its second test of three. On a slow machine the execution's log
 * is not open yet half a second after the start of the first test, and a process that ends then leaves no record.
 */
function deadly(dialect: Dialect, code: string) {
  const options = pick(dialect, {
    jest: 'maxWorkers: 2,',
    vitest: "pool: 'forks',",
    playwright: '',
  })
  return {
    ...dialect.config(options),
    'a.test.js': `${dialect.head}test('is first', () => {})
      test('ends its process', async () => {
        await new Promise((done) => setTimeout(done, 2000))
        ${code}
        await new Promise(() => {})
      })
      test('is last', () => {})\n`,
    'good.test.js': dialect.head + HOLDS,
  }
}

/** Playwright blames the test and goes on in another worker. */
const BLAMED: Steps = [
  ['is first', 'PASS'],
  ['ends its process', 'FAIL'],
  ['is last', 'PASS'],
]

const OF_JEST: ExpectedRun = {
  file: 'a.test.js',
  outcome: 'FAIL',
  steps: [
    ['is first', 'PASS'],
    ['Suite failed to run', 'FAIL'],
  ],
  variables: { tests_passed: '1' },
  log: [/ends its process/, /jest worker/i],
}

const CUT_IN_JEST: ExpectedRun = {
  file: 'a.test.js',
  outcome: 'FAIL',
  steps: [
    ['is first', 'PASS'],
    ['Interrupted', 'FAIL'],
  ],
  log: [/ends its process/],
}

const CUT_IN_VITEST: ExpectedRun[] = [
  {
    file: 'a.test.js',
    outcome: 'FAIL',
    // Vitest sends results in batches: the first test's had not left the worker, or had.
    steps: [
      ['is first', 'PASS'],
      ['Interrupted', 'FAIL'],
    ],
  },
  {
    file: '(execution)',
    outcome: 'FAIL',
    steps: [['Unhandled error', 'FAIL']],
    log: [/worker/i],
  },
]

function killed(name: string, code: string): Behaviour {
  return {
    name,
    scenario: (dialect, target) => {
      if (diesWithItsWorker(target))
        return {
          notPossible:
            'Vitest 3 dies with a worker of its forks pool (ERR_IPC_CHANNEL_CLOSED) before it calls onTestRunEnd.',
        }
      return {
        files: deadly(dialect, code),
        exitCode: 1,
        runs: [
          GOOD,
          ...pick<ExpectedRun[]>(dialect, {
            jest: [OF_JEST],
            vitest: CUT_IN_VITEST,
            playwright: [{ file: 'a.test.js', outcome: 'FAIL', steps: BLAMED }],
          }),
        ],
      }
    },
  }
}

function ended(name: string, code: number): Behaviour {
  return {
    name,
    scenario: (dialect) => ({
      files: deadly(dialect, `process.exit(${code})`),
      exitCode: 1,
      runs: [
        GOOD,
        ...pick<ExpectedRun[]>(dialect, {
          jest: [OF_JEST],
          vitest: [{ file: 'a.test.js', outcome: 'FAIL', steps: BLAMED, log: [/process\.exit/] }],
          playwright: [{ file: 'a.test.js', outcome: 'FAIL', steps: BLAMED }],
        }),
      ],
    }),
  }
}

function diesWithItsWorker({ framework, release }: Target): boolean {
  return framework === 'vitest' && release === 3
}

export const PROCESSES: Chapter = {
  title: 'Processes that end in mid-test',
  behaviours: [
    { ...ended('process.exit in a test of a worker is a failed run', 0), isCore: true },
    ended('process.exit with a code of its own in a test of a worker is a failed run', 3),
    {
      name: 'process.exit in a test of the main process is a failed run, once it is uploaded',
      scenario: (dialect) => {
        if (dialect.framework !== 'jest')
          return { notPossible: 'Only Jest runs tests in its main process (--runInBand).' }
        return {
          files: deadly(dialect, 'process.exit(3)'),
          args: ['--runInBand'],
          exitCode: 3,
          runs: [CUT_IN_JEST],
          drive: runAndUpload,
        }
      },
    },
    {
      ...killed(
        'a worker that is killed in mid-test is a failed run',
        "process.kill(process.pid, 'SIGKILL')",
      ),
      isCore: true,
    },
    killed('a worker that aborts in mid-test is a failed run', 'process.abort()'),
    {
      name: 'a worker that runs out of memory is a failed run',
      scenario: (dialect, target) => {
        if (diesWithItsWorker(target))
          return {
            notPossible:
              'Vitest 3 dies with a worker of its forks pool (ERR_IPC_CHANNEL_CLOSED) before it calls onTestRunEnd.',
          }
        return {
          files: deadly(dialect, 'const hoard = []; for (;;) hoard.push(new Array(1e5).fill(hoard.length))'),
          env: { NODE_OPTIONS: '--max-old-space-size=150' },
          exitCode: 1,
          runs: [
            GOOD,
            ...pick<ExpectedRun[]>(dialect, {
              jest: [OF_JEST],
              vitest: CUT_IN_VITEST,
              playwright: [{ file: 'a.test.js', outcome: 'FAIL', steps: BLAMED }],
            }),
          ],
        }
      },
    },
  ],
}
