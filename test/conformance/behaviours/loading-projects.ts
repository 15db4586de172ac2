import { pick, type Chapter, type ExpectedRun } from '../behaviour'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"

/** Two projects with a file each, one of which cannot be loaded. */
const TWO_PROJECTS = {
  jest: `projects: ['bad', 'good'].map((name) => ({ displayName: name, testMatch: ['**/' + name + '.test.js'] }))`,
  vitest: `projects: ['bad', 'good'].map((name) => ({ test: { name, include: [name + '.test.js'] } }))`,
  playwright: `projects: ['bad', 'good'].map((name) => ({ name, testMatch: name + '.test.js' }))`,
}

/** Two projects that share a file. */
const SHARED_FILE = {
  jest: `projects: ['bad', 'good'].map((name) => ({ displayName: name, globals: { PLACE: name } }))`,
  vitest: `projects: ['bad', 'good'].map((name) => ({ test: { name, env: { PLACE: name } } }))`,
  playwright: '',
}

const LOAD_FAILURE: ExpectedRun = {
  file: 'bad.test.js',
  project: 'bad',
  outcome: 'FAIL',
  steps: [['Suite failed to load', 'FAIL']],
  log: ['bad file'],
}
const GOOD: ExpectedRun = {
  file: 'good.test.js',
  project: 'good',
  outcome: 'PASS',
  steps: [['holds', 'PASS']],
}

export const LOADING_IN_PROJECTS: Chapter = {
  title: 'Projects whose files cannot be loaded',
  behaviours: [
    {
      name: 'a file that cannot be loaded fails in its own project',
      scenario: (dialect) => ({
        files: {
          ...dialect.config(pick(dialect, TWO_PROJECTS)),
          'bad.test.js': `${dialect.head}throw new Error('bad file')\n`,
          'good.test.js': dialect.head + HOLDS,
        },
        exitCode: 1,
        runs: pick<ExpectedRun[]>(dialect, {
          jest: [LOAD_FAILURE, GOOD],
          vitest: [LOAD_FAILURE, GOOD],
          // Playwright loads files before it knows of projects, and runs nothing when one fails.
          playwright: [{ ...LOAD_FAILURE, project: '' }],
        }),
      }),
    },
    {
      name: 'a file that cannot be loaded in one of its projects passes in the other',
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return { notPossible: 'Playwright loads a file once for all projects, before it runs any of them.' }
        const place = pick(dialect, { jest: 'PLACE', vitest: 'process.env.PLACE', playwright: '' })
        return {
          files: {
            ...dialect.config(pick(dialect, SHARED_FILE)),
            'a.test.js': `${dialect.head}if (${place} === 'bad') throw new Error('bad file')\n${HOLDS}`,
          },
          exitCode: 1,
          runs: [
            { ...LOAD_FAILURE, file: 'a.test.js' },
            { ...GOOD, file: 'a.test.js' },
          ],
        }
      },
    },
    {
      name: 'a file that only the worker cannot load is a failed run',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright')
          return { notPossible: 'Only Playwright loads a file twice: to find its tests, then to run them.' }
        return {
          files: {
            ...dialect.config(),
            'a.test.js': `${dialect.head}if (process.env.TEST_WORKER_INDEX) throw new Error('only in workers')
              test('is first', () => {})\ntest('is second', () => {})\n`,
          },
          exitCode: 1,
          runs: [
            { file: 'a.test.js', outcome: 'FAIL', steps: [['is first', 'FAIL']], log: ['only in workers'] },
          ],
        }
      },
    },
  ],
}
