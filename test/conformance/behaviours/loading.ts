import { pick, type Chapter } from '../behaviour'

export const LOADING: Chapter = {
  title: 'Files that cannot be loaded',
  behaviours: [
    {
      name: 'a passing file and a failing one are a passed and a failed run',
      isCore: true,
      scenario: ({ head, config }) => ({
        files: {
          ...config(),
          'a.test.js': `${head}test('holds', () => { expect(1).toBe(1) })\n`,
          'b.test.js': `${head}test('fails', () => { expect(1).toBe(2) })\n`,
        },
        exitCode: 1,
        runs: [
          {
            file: 'a.test.js',
            outcome: 'PASS',
            steps: [['holds', 'PASS']],
            variables: { tests_passed: '1' },
          },
          {
            file: 'b.test.js',
            outcome: 'FAIL',
            steps: [['fails', 'FAIL']],
            variables: { tests_failed: '1' },
          },
        ],
      }),
    },
    {
      name: 'a missing import is a failed run with its error in the log',
      isCore: true,
      scenario: (dialect) => ({
        files: {
          ...dialect.config(),
          'a.test.js': pick(dialect, {
            jest: "require('./nowhere')\n",
            vitest: "import './nowhere'\n",
            playwright: "require('./nowhere')\n",
          }),
        },
        exitCode: 1,
        runs: [
          { file: 'a.test.js', outcome: 'FAIL', steps: [['Suite failed to load', 'FAIL']], log: [/nowhere/] },
        ],
      }),
    },
  ],
}
