import { pick, type Chapter, type ExpectedRun } from '../behaviour'
import { IN_ORDER } from '../in-order'

type Steps = ExpectedRun['steps']

const BOTH: Steps = [
  ['is hit', 'PASS'],
  ['comes after it', 'PASS'],
]
const VICTIM: Steps = [
  ['is hit', 'FAIL'],
  ['comes after it', 'PASS'],
]
const PASSED: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['leaves an error', 'PASS']] }
// Jest begins with the larger file.
const LARGE = `// ${'large '.repeat(500)}\n`

export const LATE_ERRORS: Chapter = {
  title: 'Errors that come late',
  behaviours: [
    {
      name: 'an error that comes after its file has ended fails what the framework blames',
      scenario: (dialect, { release }) => ({
        files: {
          ...dialect.config(
            pick(dialect, {
              jest: 'maxWorkers: 1,',
              vitest: `isolate: false, ${IN_ORDER}`,
              playwright: 'workers: 1,',
            }),
          ),
          // Jest 29 has dropped the file's source map by then and names a line of the transformed code: it is not judged.
          'a.test.js': `${dialect.head}const message = 'too late'
          test('leaves an error', () => {
            setTimeout(() => { throw new Error(message) }, 1500)
          })\n${LARGE}`,
          'b.test.js': `${dialect.head}test('is hit', () => new Promise((done) => setTimeout(done, 3000)))
            test('comes after it', () => {})\n`,
        },
        exitCode: 1,
        runs: [
          PASSED,
          {
            file: 'b.test.js',
            outcome: 'FAIL',
            // Jest 29 and Playwright blame the test that runs.
            steps: pick<Steps>(dialect, {
              jest: release < 30 ? VICTIM : [...BOTH, ['afterAll hook or unhandled error', 'FAIL']],
              vitest: [...BOTH, ['Unhandled error', 'FAIL']],
              playwright: VICTIM,
            }),
            log: ['too late'],
          },
        ],
      }),
    },
  ],
}
