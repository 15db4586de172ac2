import { expect } from 'vitest'
import { pick, type Chapter, type ExpectedRun, type NotPossible, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { listReporters, ours, terminal } from '../reporter-options'
import type { Target } from '../target'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"
const FAILS = "test('fails', () => { expect(1).toBe(2) })\n"
const RUNS: ExpectedRun[] = [
  { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
  { file: 'b.test.js', outcome: 'FAIL', steps: [['fails', 'FAIL']] },
]

/** A passing file and a failing one, with these options and whatever else differs. */
function twoFiles(dialect: Dialect, options: string, more: Partial<Scenario> = {}): Scenario {
  return {
    files: {
      ...dialect.config(options),
      'a.test.js': dialect.head + HOLDS,
      'b.test.js': dialect.head + FAILS,
    },
    exitCode: 1,
    runs: RUNS,
    ...more,
  }
}

const OUR_LINE = /^Runledger: .*$/gm

/** Why an execution cannot measure coverage here. */
function findNoCoverage({ framework, release }: Target): NotPossible | undefined {
  if (framework === 'playwright') return { notPossible: 'Playwright Test measures no coverage.' }
  if (framework !== 'vitest' || release < 5) return undefined
  return {
    notPossible:
      'The coverage provider of this very version is not in the registry yet; it asks for its own.',
  }
}

export const REPORTERS: Chapter = {
  title: 'Beside and without other reporters',
  behaviours: [
    {
      name: 'JSON on stdout stays JSON',
      isCore: true,
      scenario: (dialect, { release }) => {
        // Vitest 5 writes to a file unless it is told otherwise.
        const json = dialect.framework === 'vitest' && release >= 5 ? "'json', { stdout: true }" : "'json'"
        return twoFiles(
          dialect,
          pick(dialect, {
            jest: '',
            vitest: listReporters(dialect, [json, ours(dialect)]),
            playwright: listReporters(dialect, [json, ours(dialect)]),
          }),
          {
            args: pick(dialect, { jest: ['--json'], vitest: [], playwright: [] }),
            check: ({ result }) => {
              expect(JSON.parse(result.stdout)).toBeTypeOf('object')
              expect(result.stderr.match(OUR_LINE)).toHaveLength(1)
            },
          },
        )
      },
    },
    {
      name: 'the only reporter records and says one line',
      isCore: true,
      scenario: (dialect) =>
        twoFiles(dialect, listReporters(dialect, [ours(dialect)]), {
          check: ({ result }) => {
            expect(result.stderr.match(OUR_LINE)).toHaveLength(1)
            // Playwright adds its own for the terminal where no reporter prints there.
            if (dialect.framework === 'playwright') expect(result.stdout).toContain('1 passed')
            else expect(result.stdout.trim()).toBe('')
          },
        }),
    },
    {
      name: 'before, between and after other reporters the record is the same',
      scenario: (dialect) => {
        const others = pick(dialect, {
          jest: ["'default'", "'summary'"],
          vitest: ["'default'", "'junit', { outputFile: 'junit.xml' }"],
          playwright: ["'list'", "'junit', { outputFile: 'junit.xml' }"],
        })
        const [first = '', second = ''] = others
        return twoFiles(dialect, listReporters(dialect, [first, ours(dialect), second]))
      },
    },
    {
      name: 'a reporter that is listed twice records once',
      isCore: true,
      scenario: (dialect) =>
        twoFiles(dialect, listReporters(dialect, [terminal(dialect), ours(dialect), ours(dialect)])),
    },
    {
      name: 'a reporter that is listed twice records once when no file can be loaded',
      scenario: (dialect) => {
        const options = listReporters(dialect, [terminal(dialect), ours(dialect), ours(dialect)])
        const steps: ExpectedRun['steps'] = [['Suite failed to load', 'FAIL']]
        return {
          files: { ...dialect.config(options), 'a.test.js': `${dialect.head}throw new Error('bad file')\n` },
          exitCode: 1,
          runs: [{ file: 'a.test.js', outcome: 'FAIL', steps }],
        }
      },
    },
    {
      name: 'a reporter that is listed twice with different options records for each of them',
      scenario: (dialect) => {
        const named = (bench: string) => `${ours(dialect)}, { reportVariables: { bench: '${bench}' } }`
        const runsOf = (bench: string) => RUNS.map((run) => ({ ...run, variables: { bench } }))
        return twoFiles(dialect, listReporters(dialect, [terminal(dialect), named('one'), named('two')]), {
          runs: [...runsOf('one'), ...runsOf('two')],
        })
      },
    },
    {
      name: 'coverage changes nothing',
      scenario: (dialect, target) => {
        const missing = findNoCoverage(target)
        if (missing) return missing
        return twoFiles(dialect, '', { args: ['--coverage'] })
      },
    },
    {
      name: 'coverage below its threshold leaves the suites their verdicts',
      scenario: (dialect, target) => {
        const missing = findNoCoverage(target)
        if (missing) return missing
        const options = pick(dialect, {
          jest: "collectCoverage: true, collectCoverageFrom: ['unused.js'], coverageThreshold: { global: { lines: 100 } },",
          vitest: "coverage: { enabled: true, include: ['unused.js'], thresholds: { lines: 100 } },",
          playwright: '',
        })
        return {
          files: {
            ...dialect.config(options),
            'a.test.js': dialect.head + HOLDS,
            'unused.js': `${pick(dialect, { jest: 'exports.unused =', vitest: 'export const unused =', playwright: '' })} () => 1\n`,
          },
          exitCode: 1,
          runs: RUNS.slice(0, 1),
          invariantException: pick(dialect, {
            jest: 'Jest checks coverage after it has called every reporter (jest-core, CoverageReporter.getLastError).',
            vitest: 'Vitest checks coverage after the last hook of its reporters.',
            playwright: '',
          }),
        }
      },
    },
  ],
}
