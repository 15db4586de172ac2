import { pick, type Chapter, type ExpectedRun } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'

type Steps = ExpectedRun['steps']

const FAILS = "() => { throw new Error('this one') }"

/** Equal full titles, which Playwright refuses to load; the others run them all. */
function duplicates(dialect: Dialect, body: string, steps: Steps) {
  const isRefused = dialect.framework === 'playwright'
  return oneFile(dialect, {
    body,
    steps: isRefused ? [['Suite failed to load', 'FAIL']] : steps,
    log: isRefused ? [/duplicate test title/] : ['this one'],
  })
}

/** Titles as source text, with the names on record. */
const ODD_TITLES: [source: string, name: string][] = [
  ["''", '(unnamed)'],
  ["'   '", '(unnamed) (2)'],
  ["'two\\nlines'", 'two lines'],
  ["'  spaces   inside  '", 'spaces inside'],
  ["'a\\u0000b'", 'a b'],
  ["'\\ud800 alone'", '\ufffd alone'],
  ["'\\u001b[31mred\\u001b[0m text'", 'red text'],
  ["'🔋 über 日本'", '🔋 über 日本'],
  ["'left › right'", 'left › right'],
  ["'x'.repeat(5000)", `${'x'.repeat(499)}…`],
  ['\'100% <b>&amp;</b> "quoted"\'', '100% <b>&amp;</b> "quoted"'],
]

export const NAMES: Chapter = {
  title: 'Names',
  behaviours: [
    {
      name: 'tests made of a table are a step each, with the values in their names',
      isCore: true,
      scenario: (dialect) =>
        oneFile(dialect, {
          body: pick(dialect, {
            jest: "test.each([1, 2, 3])('reads %i volts', (volts) => { expect(volts).not.toBe(2) })\n",
            vitest: "test.each([1, 2, 3])('reads %i volts', (volts) => { expect(volts).not.toBe(2) })\n",
            playwright:
              'for (const volts of [1, 2, 3]) test(`reads ${volts} volts`, () => { expect(volts).not.toBe(2) })\n',
          }),
          steps: [
            ['reads 1 volts', 'PASS'],
            ['reads 2 volts', 'FAIL'],
            ['reads 3 volts', 'PASS'],
          ],
        }),
    },
    {
      name: 'describes made of a table keep their tests apart',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: pick(dialect, {
            jest: "describe.each([1, 2])('channel %i', (n) => { test('reads', () => { expect(n).toBe(1) }) })\n",
            vitest:
              "describe.each([1, 2])('channel %i', (n) => { test('reads', () => { expect(n).toBe(1) }) })\n",
            playwright:
              "for (const n of [1, 2]) test.describe(`channel ${n}`, () => { test('reads', () => { expect(n).toBe(1) }) })\n",
          }),
          steps: [
            ['channel 1 › reads', 'PASS'],
            ['channel 2 › reads', 'FAIL'],
          ],
        }),
    },
    {
      name: 'describe titles and the test title are joined, outermost first',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: `${dialect.describe}('a', () => { ${dialect.describe}('b', () => { ${dialect.describe}('c', () => {
            test('reads', () => {})
            test('fails', ${FAILS})
          }) }) })\n`,
          steps: [
            ['a › b › c › reads', 'PASS'],
            ['a › b › c › fails', 'FAIL'],
          ],
        }),
    },
    {
      name: 'tests of one name are a step each, none lost and none merged',
      isCore: true,
      scenario: (dialect) =>
        duplicates(dialect, `test('same', () => {})\ntest('same', ${FAILS})\ntest('same', () => {})\n`, [
          ['same', 'PASS'],
          ['same (2)', 'FAIL'],
          ['same (3)', 'PASS'],
        ]),
    },
    {
      name: 'describes of one title keep their tests apart',
      scenario: (dialect) =>
        duplicates(
          dialect,
          `describe('g', () => { test('same', ${FAILS}) })\ndescribe('g', () => { test('same', () => {}) })\n`.replaceAll(
            'describe',
            dialect.describe,
          ),
          [
            ['g › same', 'FAIL'],
            ['g › same (2)', 'PASS'],
          ],
        ),
    },
    {
      name: 'a title that reads like a nested one does not take its place',
      scenario: (dialect) => {
        // Playwright takes the last of them for a duplicate, as its own names are joined by the same sign.
        const isRefused = dialect.framework === 'playwright'
        const steps: Steps = [
          ['g › same', 'PASS'],
          ['g > same', 'FAIL'],
          ['g same', 'PASS'],
        ]
        return oneFile(dialect, {
          body: `${dialect.describe}('g', () => { test('same', () => {}) })
            test('g > same', ${FAILS})
            test('g same', () => {})
            ${isRefused ? '' : `test('g › same', ${FAILS})`}\n`,
          steps: isRefused ? steps : [...steps, ['g › same (2)', 'FAIL']],
        })
      },
    },
    {
      name: 'a name that ends in a number of ours stays unique',
      scenario: (dialect) =>
        duplicates(dialect, `test('same (2)', ${FAILS})\ntest('same', () => {})\ntest('same', ${FAILS})\n`, [
          ['same (2)', 'FAIL'],
          ['same', 'PASS'],
          ['same (3)', 'FAIL'],
        ]),
    },
    {
      name: 'a describe without a title does not lose its tests',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: pick(dialect, {
            jest: "describe('', () => { test('reads', () => {}) })\n",
            vitest: "describe('', () => { test('reads', () => {}) })\n",
            playwright: "test.describe(() => { test('reads', () => {}) })\n",
          }),
          // Playwright leaves anonymous describes out of a test's titles.
          steps: pick<Steps>(dialect, {
            jest: [['(unnamed) › reads', 'PASS']],
            vitest: [['(unnamed) › reads', 'PASS']],
            playwright: [['reads', 'PASS']],
          }),
        }),
    },
    {
      name: 'odd titles become readable names: no control characters, no colours, never empty, at most 500 characters',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: ODD_TITLES.map(([source]) => `test(${source}, () => {})\n`).join(''),
          steps: ODD_TITLES.map(([, name]) => [name, 'PASS']),
        }),
    },
    {
      name: 'odd titles of tests that fail keep their own verdicts',
      scenario: (dialect) =>
        oneFile(dialect, {
          body: ODD_TITLES.map(([source]) => `test(${source}, ${FAILS})\n`).join(''),
          steps: ODD_TITLES.map(([, name]) => [name, 'FAIL']),
          variables: { tests_failed: String(ODD_TITLES.length) },
        }),
    },
    {
      name: 'a file in folders with odd names is on record under its path',
      scenario: (dialect) => ({
        files: {
          ...dialect.config(),
          'deep down/über/a b.test.js': `${dialect.head}test('holds', () => {})\n`,
        },
        exitCode: 0,
        runs: [{ file: 'deep down/über/a b.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }],
      }),
    },
  ],
}
