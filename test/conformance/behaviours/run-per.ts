import { pick, type Behaviour, type Chapter, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'

const PROJECTS = {
  jest: `projects: ['main', 'other'].map((name) => ({ displayName: name, testMatch: ['**/' + name + '/*.test.js'] })),`,
  vitest: `projects: ['main', 'other'].map((name) => ({ test: { name, include: [name + '/*.test.js'] } })),`,
  playwright: `projects: ['main', 'other'].map((name) => ({ name, testMatch: name + '/*.test.js' })),`,
}

/** Two projects of two files and one. */
function threeFiles(dialect: Dialect): Scenario['files'] {
  const test = (title: string, limit: number) =>
    `${dialect.head}test('${title}', () => { expect(1).toBe(${limit}) })\n`
  return {
    ...dialect.config(pick(dialect, PROJECTS)),
    'main/a.test.js': test('reads', 1),
    'main/b.test.js': test('reads', 2),
    'other/c.test.js': test('measures', 1),
  }
}

function runPer(name: string, value: string, runs: ExpectedRun[]): Behaviour {
  return {
    name,
    scenario: (dialect) => ({
      files: threeFiles(dialect),
      env: { RUNLEDGER_RUN_PER: value },
      exitCode: 1,
      runs,
    }),
  }
}

const READS: ExpectedRun['steps'] = [
  ['main/a.test.js › reads', 'PASS'],
  ['main/b.test.js › reads', 'FAIL'],
]
const MEASURES: ExpectedRun['steps'][number] = ['other/c.test.js › measures', 'PASS']

export const RUN_PER: Chapter = {
  title: 'What becomes one run',
  behaviours: [
    runPer('each suite is a run', 'suite', [
      { file: 'main/a.test.js', project: 'main', outcome: 'PASS', steps: [['reads', 'PASS']] },
      { file: 'main/b.test.js', project: 'main', outcome: 'FAIL', steps: [['reads', 'FAIL']] },
      { file: 'other/c.test.js', project: 'other', outcome: 'PASS', steps: [['measures', 'PASS']] },
    ]),
    {
      ...runPer('each project is a run when asked for', 'project', [
        {
          file: 'main',
          project: 'main',
          outcome: 'FAIL',
          steps: READS,
          unordered: true,
          variables: { tests_passed: '1', tests_failed: '1' },
        },
        { file: 'other', project: 'other', outcome: 'PASS', steps: [MEASURES] },
      ]),
      isCore: true,
    },
    runPer('an execution is one run when asked for', 'execution', [
      {
        file: '(execution)',
        outcome: 'FAIL',
        steps: [...READS, MEASURES],
        unordered: true,
        variables: { tests_passed: '2', tests_failed: '1' },
      },
    ]),
    {
      name: 'a run of the whole execution fails for a file that cannot be loaded',
      scenario: (dialect) => ({
        files: {
          ...dialect.config(),
          'a.test.js': `${dialect.head}test('reads', () => {})\n`,
          'b.test.js': `${dialect.head}throw new Error('bad file')\n`,
        },
        env: { RUNLEDGER_RUN_PER: 'execution' },
        exitCode: 1,
        runs: [
          {
            file: '(execution)',
            outcome: 'FAIL',
            steps: [
              // Playwright runs nothing when one file cannot be loaded.
              ...pick<ExpectedRun['steps']>(dialect, {
                jest: [['a.test.js › reads', 'PASS']],
                vitest: [['a.test.js › reads', 'PASS']],
                playwright: [],
              }),
              ['b.test.js › Suite failed to load', 'FAIL'],
            ],
            unordered: true,
            log: ['bad file'],
          },
        ],
      }),
    },
  ],
}
