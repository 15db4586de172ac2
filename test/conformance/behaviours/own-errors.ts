import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { type Behaviour, type Chapter, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { listReporters, ours, terminal, withOptions } from '../reporter-options'
import { REPOSITORY } from '../../support/repository'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"
const FAILS = "test('fails', () => { expect(1).toBe(2) })\n"
const A: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
const B: ExpectedRun = { file: 'b.test.js', outcome: 'FAIL', steps: [['fails', 'FAIL']] }
const OUR_LINE = /^Runledger: .*$/gm
const LOST = 'An error of ours never changes a verdict: what is not on record is told in one line.'

/** A passing file and a failing one: whatever goes wrong with us, the command ends with 1. */
function twoFiles(dialect: Dialect, options: string, more: Partial<Scenario> = {}): Scenario {
  return {
    files: {
      ...dialect.config(options),
      'a.test.js': dialect.head + HOLDS,
      'b.test.js': dialect.head + FAILS,
    },
    exitCode: 1,
    runs: [],
    ...more,
  }
}

/** The same with nothing but passing tests: the command ends with 0. */
function onePassing(dialect: Dialect, options: string, more: Partial<Scenario> = {}): Scenario {
  const files = { ...dialect.config(options), 'a.test.js': dialect.head + HOLDS }
  return { files, exitCode: 0, runs: [], ...more }
}

const COPY = 'node_modules/reporter-without-core'

/** Our built reporter as an installed package, with a core that cannot be loaded. */
function copyWithoutCore({ framework }: Dialect): Record<string, string> {
  const folder = path.join(REPOSITORY, 'packages', framework)
  const built = readdirSync(path.join(folder, 'dist')).filter((name) => /\.c?js$/.test(name))
  const files = ['package.json', ...built.map((name) => `dist/${name}`)]
  return {
    ...Object.fromEntries(
      files.map((file) => [`${COPY}/${file}`, readFileSync(path.join(folder, file), 'utf8')]),
    ),
    [`${COPY}/node_modules/@runledger/core/package.json`]:
      '{ "name": "@runledger/core", "exports": "./gone.js" }\n',
  }
}

/** An option that is a function of the suite and cannot be asked about `a.test.js`. */
function brokenOption(name: string, options: string): Behaviour {
  return {
    name,
    scenario: (dialect) =>
      twoFiles(dialect, withOptions(dialect, options), { runs: [B], check: expectLines }),
  }
}

/** We say something in at most two lines, and it is ours. */
function expectLines({ result }: { result: { stderr: string } }): void {
  const lines = result.stderr.match(OUR_LINE) ?? []
  expect(lines.length, result.stderr).toBeGreaterThan(0)
  expect(lines.length, result.stderr).toBeLessThanOrEqual(2)
}

export const OWN_ERRORS: Chapter = {
  title: 'Errors of our own',
  behaviours: [
    {
      name: 'a reporter whose upload module is missing says so and changes no verdict',
      isCore: true,
      scenario: (dialect) => {
        const reporters = [terminal(dialect), "'reporter-without-core'"]
        const scenario = twoFiles(dialect, listReporters(dialect, reporters), {
          check: expectLines,
          invariantException: LOST,
        })
        return { ...scenario, files: { ...scenario.files, ...copyWithoutCore(dialect) } }
      },
    },
    {
      ...brokenOption(
        'a procedure that cannot be worked out for one suite costs the others nothing',
        `{ procedureId: ({ file }) => {
          if (file === 'a.test.js') throw new Error('no procedure for it')
          return process.env.RUNLEDGER_PROCEDURE_ID
        } }`,
      ),
      isCore: true,
    },
    brokenOption(
      'a unit that makes no sense for one suite costs the others nothing',
      "{ unitUnderTest: ({ file }) => (file === 'a.test.js' ? 7 : { serialNumber: 'SN-1' }) }",
    ),
    brokenOption(
      'sub-units that make no sense for one suite cost the others nothing',
      "{ subUnits: ({ file }) => (file === 'a.test.js' ? 'SN-2' : []) }",
    ),
    {
      name: 'an option that throws for every suite leaves a passed execution passed',
      scenario: (dialect) =>
        onePassing(
          dialect,
          withOptions(dialect, "{ procedureId: () => { throw new Error('no procedure') } }"),
          {
            check: expectLines,
          },
        ),
    },
    {
      name: 'options of a wrong type leave the exit code alone',
      scenario: (dialect) =>
        onePassing(dialect, withOptions(dialect, "{ runPer: 'day', deadlineMs: 'soon' }"), {
          check: expectLines,
        }),
    },
    {
      name: 'a service that nobody answers for leaves the exit code alone',
      isCore: true,
      scenario: (dialect) =>
        onePassing(dialect, '', {
          env: { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_MAX_RETRIES: '0' },
          check: expectLines,
        }),
    },
    {
      name: 'a service that nobody answers for fails the execution when that is asked for',
      isCore: true,
      scenario: (dialect) =>
        onePassing(dialect, withOptions(dialect, '{ failOnUploadError: true }'), {
          env: { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_MAX_RETRIES: '0' },
          exitCode: 1,
          check: expectLines,
          invariantException:
            'No service had the run: it waits in the spool, and the option asks for a failure.',
        }),
    },
    {
      name: 'a stderr that cannot be written to costs nothing',
      scenario: (dialect) => {
        if (dialect.framework === 'playwright') {
          return {
            notPossible: 'Playwright Test itself ends with 1 then, with or without a reporter of ours.',
          }
        }
        const [bin, args] =
          dialect.framework === 'jest' ? ['jest/bin/jest.js', []] : ['vitest/vitest.mjs', ['run']]
        // Only our reporter: the frameworks themselves do not outlive an error of their own lines on a full disk.
        return onePassing(dialect, listReporters(dialect, [ours(dialect)]), {
          runs: [A],
          drive: ({ command }) => command({ bin, args, stderr: '/dev/full' }),
        })
      },
    },
  ],
}
