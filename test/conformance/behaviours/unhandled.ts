import { pick, type Behaviour, type Chapter, type ExpectedRun } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'
import type { Target } from '../target'

type Steps = ExpectedRun['steps']

const WAIT = 'await new Promise((done) => setTimeout(done, 400))'
const SOON = "setTimeout(() => { throw new Error('nobody caught it') }, 50)"
const REJECTION = "void Promise.reject(new Error('nobody caught it'))"

const PASSED: Steps = [
  ['is first', 'PASS'],
  ['is last', 'PASS'],
]
// Jest tells errors of hooks and others in the same place; the stack of this one names no hook.
const UNTOLD_BY_JEST: Steps[number] = ['afterAll hook or unhandled error', 'FAIL']

const ofVitest = (...tests: string[]): Steps => [
  ...tests.map((name): Steps[number] => [name, 'PASS']),
  ['Unhandled error', 'FAIL'],
]

/** An error that nobody catches while a test runs: Vitest blames no test for it, the others the one that runs. */
function during(name: string, code: string): Behaviour {
  return {
    name,
    isCore: true,
    scenario: (dialect) => {
      const blamed: Steps = [
        ['leaves an error', 'FAIL'],
        ['holds', 'PASS'],
      ]
      return oneFile(dialect, {
        body: `test('leaves an error', async () => { ${code}; ${WAIT} })\ntest('holds', () => {})\n`,
        steps: pick(dialect, {
          jest: blamed,
          vitest: ofVitest('leaves an error', 'holds'),
          playwright: blamed,
        }),
        log: ['nobody caught it'],
      })
    },
  }
}

/** An error that comes while an afterAll hook runs: Playwright blames the last test for it, Vitest none. */
function afterTests(
  name: string,
  body: (dialect: Dialect) => string,
  isBlamedByJest: (target: Target) => boolean,
): Behaviour {
  const lastFails: Steps = [
    ['is first', 'PASS'],
    ['is last', 'FAIL'],
  ]
  return {
    name,
    scenario: (dialect, target) =>
      oneFile(dialect, {
        body: body(dialect),
        steps: pick<Steps>(dialect, {
          jest: isBlamedByJest(target) ? lastFails : [...PASSED, UNTOLD_BY_JEST],
          vitest: ofVitest('is first', 'is last'),
          playwright: lastFails,
        }),
        log: ['nobody caught it'],
      }),
  }
}

const TWO_TESTS = "test('is first', () => {})\ntest('is last', () => {})\n"

export const UNHANDLED: Chapter = {
  title: 'Errors that nobody catches',
  behaviours: [
    during('a rejection that nobody catches during a test fails the run', REJECTION),
    during('an exception that nobody catches during a test fails the run', SOON),
    {
      name: 'an error that one test leaves behind is blamed on the one that the framework blames',
      scenario: (dialect, { release }) => {
        const blamed: Steps = [
          ['leaves an error', 'PASS'],
          ['waits', 'FAIL'],
        ]
        // Jest 30 follows an error to the test that began it.
        const begun: Steps = [
          ['leaves an error', 'FAIL'],
          ['waits', 'PASS'],
        ]
        return oneFile(dialect, {
          body: `test('leaves an error', () => { ${SOON} })\ntest('waits', async () => { ${WAIT} })\n`,
          steps: pick(dialect, {
            jest: release >= 30 ? begun : blamed,
            vitest: ofVitest('leaves an error', 'waits'),
            playwright: blamed,
          }),
          log: ['nobody caught it'],
        })
      },
    },
    afterTests(
      'an error that nobody catches during an afterAll hook fails the run',
      ({ afterAll }) => `${TWO_TESTS}${afterAll}(async () => { ${SOON}; ${WAIT} })\n`,
      () => false,
    ),
    afterTests(
      'an error that the last test leaves behind for an afterAll hook fails the run',
      ({ afterAll }) =>
        `test('is first', () => {})\ntest('is last', () => { ${SOON} })\n${afterAll}(async () => { ${WAIT} })\n`,
      // Jest 30 follows an error to the test that began it.
      ({ release }) => release >= 30,
    ),
    {
      name: 'a rejection at the top of a file fails the run',
      scenario: (dialect, { release }) => {
        // Jest 29 takes an error for that of the test under way.
        const ofJest: Steps = release < 30 ? [['is first', 'FAIL']] : [['is first', 'PASS'], UNTOLD_BY_JEST]
        const scenario = oneFile(dialect, {
          body: `${REJECTION}\ntest('is first', async () => { ${WAIT} })\n`,
          steps: pick<Steps>(dialect, {
            jest: ofJest,
            vitest: ofVitest('is first'),
            playwright: [],
          }),
          log: ['nobody caught it'],
        })
        if (dialect.framework !== 'playwright') return scenario
        const invariantException =
          'Playwright loads test files in its own process, which this ends before it calls any reporter (InProcessLoaderHost).'
        return { ...scenario, exitCode: 1, invariantException }
      },
    },
    {
      name: 'unhandled errors that are to be ignored are in the log and fail nothing',
      scenario: (dialect) => {
        if (dialect.framework !== 'vitest')
          return {
            notPossible: 'Only Vitest has an option that ignores them (dangerouslyIgnoreUnhandledErrors).',
          }
        return oneFile(dialect, {
          options: 'dangerouslyIgnoreUnhandledErrors: true,',
          body: `test('leaves an error', async () => { ${REJECTION}; ${WAIT} })\n`,
          steps: [['leaves an error', 'PASS']],
          log: ['nobody caught it'],
        })
      },
    },
    {
      name: 'an error of another reporter fails the execution where the framework fails it',
      scenario: (dialect, { release }) => {
        const fails = dialect.framework === 'vitest' || (dialect.framework === 'playwright' && release > 150)
        if (dialect.framework === 'jest')
          return { notPossible: 'Jest does not outlive an error of a reporter: the process ends in mid-run.' }
        const passed: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
        const broken: ExpectedRun = {
          file: '(execution)',
          outcome: 'FAIL',
          steps: [['Unhandled error', 'FAIL']],
          log: ['broken reporter'],
        }
        return {
          files: {
            ...pick(dialect, {
              jest: {},
              vitest: dialect.config("reporters: ['default', './broken.mjs', '@runledger/vitest'],"),
              playwright: dialect.config(
                "reporter: [['list'], ['./broken.cjs'], ['@runledger/playwright']],",
              ),
            }),
            'broken.mjs':
              "export default class { onTestCaseResult() { throw new Error('broken reporter') } }\n",
            'broken.cjs': "module.exports = class { onTestEnd() { throw new Error('broken reporter') } }\n",
            'a.test.js': `${dialect.head}test('holds', () => {})\n`,
          },
          exitCode: fails ? 1 : 0,
          runs: fails ? [passed, broken] : [passed],
        }
      },
    },
  ],
}
