import type { Behaviour, Chapter, ExpectedRun, NotPossible, Scenario } from '../behaviour'
import type { Dialect } from '../dialect'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"
const FAILS = "test('fails', () => { expect(1).toBe(2) })\n"
const RUNS: ExpectedRun[] = [
  { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
  {
    file: 'b.test.js',
    outcome: 'FAIL',
    steps: [
      ['holds', 'PASS'],
      ['fails', 'FAIL'],
    ],
  },
  { file: 'c.test.js', outcome: 'FAIL', steps: [['Suite failed to load', 'FAIL']], log: ['bad file'] },
]

function threeFiles(dialect: Dialect, options: string): Scenario {
  return {
    files: {
      ...dialect.config(options),
      'a.test.js': dialect.head + HOLDS,
      'b.test.js': dialect.head + HOLDS + FAILS,
      'c.test.js': `${dialect.head}throw new Error('bad file')\n`,
    },
    exitCode: 1,
    runs: RUNS,
  }
}

const ONLY_PROCESSES: NotPossible = {
  notPossible: 'Playwright Test runs tests in processes of their own only.',
}

function pool(name: string, options: { jest?: string; vitest: string }): Behaviour {
  return {
    name,
    scenario: (dialect) => {
      if (dialect.framework === 'playwright') return ONLY_PROCESSES
      const chosen = options[dialect.framework]
      if (chosen === undefined) return { notPossible: 'Jest has no choice of this kind.' }
      return threeFiles(dialect, chosen)
    },
  }
}

export const POOLS: Chapter = {
  title: 'Where tests run',
  behaviours: [
    pool('tests in worker threads are on record', {
      jest: 'workerThreads: true, maxWorkers: 2,',
      vitest: "pool: 'threads',",
    }),
    pool('tests in worker processes are on record', { jest: 'maxWorkers: 2,', vitest: "pool: 'forks'," }),
    pool('tests in contexts of their own inside processes are on record', { vitest: "pool: 'vmForks'," }),
    pool('tests in contexts of their own inside threads are on record', { vitest: "pool: 'vmThreads'," }),
    pool('tests that share one context are on record', {
      vitest: 'isolate: false, fileParallelism: false,',
    }),
    pool('tests in the main process, or in one worker, are on record', {
      jest: 'maxWorkers: 1,',
      vitest: 'maxWorkers: 1, fileParallelism: false,',
    }),
  ],
}
