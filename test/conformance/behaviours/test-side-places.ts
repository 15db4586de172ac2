import { expect } from 'vitest'
import { pick, type Chapter, type ExpectedRun, type NotPossible, type Scenario } from '../behaviour'
import { oneFile } from '../one-file'
import { listMeasurements, PAUSE, speaks } from '../speech'
import { ONE_NAMED, PLACE } from './projects'
import { mergeShards } from './shards'

export const TEST_SIDE_PLACES: Chapter = {
  title: 'Where tests speak',
  behaviours: [
    {
      name: 'what a test measured before its worker crashed is on record',
      isCore: true,
      scenario: (dialect) => {
        const dies = "measure('last', 2); process.kill(process.pid, 'SIGKILL'); return new Promise(() => {})"
        return pick<Scenario | NotPossible>(dialect, {
          jest: {
            files: {
              ...dialect.config('maxWorkers: 2,'),
              'a.test.js': `${speaks(dialect)}test('holds', () => { measure('output', 1) })\ntest('dies', () => { ${dies} })\n`,
              'b.test.js': "test('holds', () => {})\n",
            },
            exitCode: 1,
            runs: [
              {
                file: 'a.test.js',
                outcome: 'FAIL',
                steps: [
                  ['holds', 'PASS'],
                  ['holds › output', 'PASS'],
                  ['dies › last', 'PASS'],
                  ['Suite failed to run', 'FAIL'],
                ],
                variables: { tests_passed: '1' },
              },
              { file: 'b.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
            ],
          },
          vitest: { notPossible: 'A worker of Vitest takes with it what it has not told yet.' },
          playwright: oneFile(dialect, {
            body: `${speaks(dialect)}test('dies', () => { measure('output', 1); ${dies} })\n`,
            steps: [
              ['dies', 'FAIL'],
              ['dies › output', 'PASS'],
              ['dies › last', 'PASS'],
            ],
            variables: { tests_passed: '0' },
          }),
        })
      },
    },
    {
      name: 'several files, in workers and threads and in the main process, keep apart what they say',
      isCore: true,
      scenario: (dialect) => ({
        files: {
          ...dialect.config(
            pick(dialect, {
              jest: 'maxWorkers: 2, workerThreads: true,',
              vitest: "pool: 'threads', maxWorkers: 2,",
              playwright: 'workers: 2,',
            }),
          ),
          ...Object.fromEntries(
            ['a', 'b', 'c'].map((name, index) => [
              `${name}.test.js`,
              `${dialect.head}${speaks(dialect)}test('reads', () => { measure('output', ${index}) })\n`,
            ]),
          ),
        },
        drive: async ({ run }) => {
          await run()
          await run(pick(dialect, { jest: ['--no-cache'], vitest: ['--pool=vmThreads'], playwright: [] }))
          return run(
            pick(dialect, { jest: ['-i'], vitest: ['--no-file-parallelism'], playwright: ['-j', '1'] }),
          )
        },
        exitCode: 0,
        runs: [...'abcabcabc'].map((name) => ({
          file: `${name}.test.js`,
          outcome: 'PASS',
          steps: [
            ['reads', 'PASS'],
            ['reads › output', 'PASS'],
          ],
          variables: { tests_passed: '1' },
        })),
        check: ({ runs }) => {
          for (const run of runs) {
            const index = ['a', 'b', 'c'].indexOf(String(run.metadata['file']).charAt(0))
            expect(listMeasurements(run)).toEqual([`reads › output: ${index}`])
          }
        },
      }),
    },
    {
      name: 'without a reporter the functions do nothing, and a misuse fails all the same',
      isCore: true,
      scenario: (dialect) => ({
        files: {
          ...pick<Record<string, string>>(dialect, {
            jest: { 'jest.config.js': 'module.exports = {}\n' },
            vitest: { 'vitest.config.mjs': 'export default {}\n' },
            playwright: { 'playwright.config.js': "module.exports = { reporter: 'json' }\n" },
          }),
          'a.test.js': `${dialect.head}${speaks(dialect)}
            test('speaks', async () => {
              measure('output', 3.3); variable('x', 1); subUnit('B-1'); unitUnderTest({ serialNumber: 'A' }); log('hi')
              attach('note', { body: 'x' })
              if ((await step('one', () => 1)) !== 1) throw new Error('the step lost its response')
              expect(() => measure('output', Infinity)).toThrow('value is Infinity')
              expect(() => measure('output', 3.5, { unit: 'V', high: 3.4 })).toThrow('Received: 3.5 V')
            })\n`,
        },
        exitCode: 0,
        runs: [],
        // Other reporters see nothing of what nobody of ours listens to.
        check: ({ result }) => expect(result.stdout).not.toContain('vnd.runledger'),
      }),
    },
    {
      name: 'test files that are ES modules speak too',
      scenario: (dialect) => {
        const fw = dialect.framework
        const head = pick(dialect, {
          jest: '',
          vitest: dialect.head,
          playwright: "import { expect, test } from '@playwright/test'\n",
        })
        return {
          files: {
            ...dialect.config("testMatch: ['**/*.test.mjs'],"),
            ...(fw === 'vitest' && {
              'vitest.config.mjs': `export default { test: { reporters: ['default', '@runledger/vitest'], include: ['*.test.mjs'], server: { deps: { inline: [/runledger/] } } } }\n`,
            }),
            'a.test.mjs': `${head}import { measure } from '@runledger/${fw}'
              test('reads', () => { measure('output', 3.3) })\n`,
          },
          ...(fw === 'jest' && { env: { NODE_OPTIONS: '--experimental-vm-modules' } }),
          exitCode: 0,
          runs: [
            {
              file: 'a.test.mjs',
              outcome: 'PASS',
              steps: [
                ['reads', 'PASS'],
                ['reads › output', 'PASS'],
              ],
              variables: { tests_passed: '1' },
            },
          ],
          check: ({ runs: [run] }) => expect(listMeasurements(run)).toEqual(['reads › output: 3.3']),
        }
      },
    },
    {
      name: 'one file in two projects at once keeps apart what it says in each',
      scenario: (dialect) => {
        const place = PLACE[dialect.framework]
        // Playwright says `first` where a project has no name.
        const isSecond = `${place} === 'second'`
        const run = (project: string): ExpectedRun => ({
          file: 'a.test.js',
          project,
          outcome: 'PASS',
          steps: [
            ['reads', 'PASS'],
            ['reads › output', 'PASS'],
          ],
          variables: { tests_passed: '1' },
        })
        return {
          files: {
            ...dialect.config(pick(dialect, { ...ONE_NAMED, jest: `${ONE_NAMED.jest} maxWorkers: 2,` })),
            'a.test.js': `${dialect.head}${speaks(dialect)}${PAUSE}
              test('reads', async () => { await pause(200); measure('output', ${isSecond} ? 2 : 1); await pause(200) })\n`,
          },
          exitCode: 0,
          runs: [run(pick(dialect, { jest: 'project 1', vitest: '0', playwright: '' })), run('second')],
          check: ({ runs }) => {
            for (const { metadata, ...rest } of runs) {
              const value = metadata['project'] === 'second' ? 2 : 1
              expect(listMeasurements({ metadata, ...rest })).toEqual([`reads › output: ${value}`])
            }
          },
        }
      },
    },
    {
      name: 'what tests said in shards is on record when their blobs are merged',
      scenario: (dialect) => {
        if (dialect.framework === 'jest') return { notPossible: 'Jest has nothing that merges shards.' }
        const file = (value: number) => `${dialect.head}${speaks(dialect)}
          test('reads', () => { measure('output', ${value}); attach('note', { body: 'value ${value}' }) })\n`
        const run = (name: string): ExpectedRun => ({
          file: name,
          outcome: 'PASS',
          steps: [
            ['reads', 'PASS'],
            ['reads › output', 'PASS'],
          ],
          variables: { tests_passed: '1' },
          attachments: ['reads/note.txt'],
        })
        return {
          files: { ...dialect.config(), 'a.test.js': file(1), 'b.test.js': file(2) },
          exitCode: 0,
          runs: [run('a.test.js'), run('b.test.js')],
          drive: mergeShards,
        }
      },
    },
  ],
}
