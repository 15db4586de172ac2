import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { pick, type Chapter, type ExpectedRun } from '../behaviour'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"
const GOOD: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }

const UI_OF_OTHERS = {
  jest: 'Jest has no UI mode.',
  vitest: 'The UI of Vitest is a view of watch mode, which has its own behaviour here.',
}

export const MODES: Chapter = {
  title: 'Modes that put nothing on record',
  behaviours: [
    {
      name: 'a list of tests leaves no run',
      isCore: true,
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.test.js': dialect.head + HOLDS },
        exitCode: 0,
        runs: [],
        drive: ({ run, command }) =>
          dialect.framework === 'vitest'
            ? command({ bin: 'vitest/vitest.mjs', args: ['list'] })
            : run([pick(dialect, { jest: '--listTests', vitest: '', playwright: '--list' })]),
      }),
    },
    {
      name: 'a list of tests in a file that cannot be loaded leaves no run',
      scenario: (dialect, { release }) => {
        if (dialect.framework === 'jest' && release < 30)
          return {
            notPossible: 'Jest lists files without loading them; --collectTests came with version 30.',
          }
        return {
          files: { ...dialect.config(), 'a.test.js': `${dialect.head}throw new Error('bad file')\n` },
          exitCode: 1,
          runs: [],
          invariantException: 'Nothing was executed: a list is no execution.',
          drive: ({ run, command }) =>
            dialect.framework === 'vitest'
              ? command({ bin: 'vitest/vitest.mjs', args: ['list'] })
              : run([dialect.framework === 'jest' ? '--collectTests' : '--list']),
        }
      },
    },
    {
      name: 'watch mode leaves no run, and says so',
      isCore: true,
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return { notPossible: 'Playwright Test watches files in its UI mode only.' }
        return {
          files: { ...dialect.config(), 'a.test.js': dialect.head + HOLDS },
          exitCode: null,
          runs: [],
          drive: async ({ command }) => {
            const watch =
              dialect.framework === 'jest'
                ? { bin: 'jest/bin/jest.js', args: ['--watchAll'], until: /Ran all test suites/ }
                : { bin: 'vitest/vitest.mjs', args: ['--watch'], until: /Duration/ }
            // Whether the framework has a handler for the signal by then, and so a code, is a matter of luck.
            return { ...(await command(watch)), exitCode: null }
          },
          invariantException: 'Watching ends with a signal.',
          check: ({ result }) => {
            expect(result.stderr.match(/^Runledger: .*$/gm)).toEqual([
              'Runledger: watch mode is not recorded',
            ])
          },
        }
      },
    },
    {
      name: 'UI mode leaves no run',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright') return { notPossible: UI_OF_OTHERS[dialect.framework] }
        return {
          files: {
            ...dialect.config(),
            'a.test.js': dialect.head + HOLDS,
            'drive-ui.cjs': readFileSync(new URL('../drive-ui.cjs', import.meta.url), 'utf8'),
          },
          exitCode: 0,
          runs: [],
          drive: ({ command }) => command({ bin: '../drive-ui.cjs' }),
        }
      },
    },
    {
      name: 'benchmarks leave no run',
      scenario: (dialect, { release }) => {
        if (dialect.framework !== 'vitest') return { notPossible: 'Only Vitest runs benchmarks.' }
        const adds = '() => { globalThis.sum = 1 + 1 }'
        const benchmark =
          release >= 5
            ? `import { test } from 'vitest'\ntest('adds', async ({ bench }) => { await bench('adds', ${adds}).run() })\n`
            : `import { bench } from 'vitest'\nbench('adds', ${adds}, { time: 20, iterations: 2 })\n`
        return {
          files: { ...dialect.config(), 'a.bench.js': benchmark },
          exitCode: 0,
          runs: [],
          drive: ({ command }) => command({ bin: 'vitest/vitest.mjs', args: ['bench', '--run'] }),
        }
      },
    },
    {
      name: 'an execution with the reporter switched off leaves no run',
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.test.js': dialect.head + HOLDS },
        env: { RUNLEDGER_DISABLED: 'true' },
        exitCode: 0,
        runs: [],
      }),
    },
    {
      name: 'a second execution of a project is a record of its own',
      scenario: (dialect) => ({
        files: { ...dialect.config(), 'a.test.js': dialect.head + HOLDS },
        exitCode: 0,
        runs: [GOOD, GOOD],
        drive: async ({ run }) => {
          await run()
          return run()
        },
      }),
    },
  ],
}
