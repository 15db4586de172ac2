import type { RunDetail } from '@runledger/protocol'
import { expect } from 'vitest'
import { pick, type Chapter, type NotPossible, type Observation, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile, type OneFile } from '../one-file'
import type { Target } from '../target'

const NAMES =
  'measure, measureAll, attach, variable, step, subUnit, unitUnderTest, log, toBeWithinLimits, withTest'

/** A file's line that brings in the functions. */
export function speaks({ framework }: Dialect): string {
  return framework === 'vitest'
    ? `import { ${NAMES} } from '@runledger/vitest'\n`
    : `const { ${NAMES} } = require('@runledger/${framework}')\n`
}

function speaking(dialect: Dialect, { body, ...rest }: OneFile): Scenario {
  return oneFile(dialect, { body: speaks(dialect) + body, ...rest })
}

/** `name: value unit [low, high]` of every measurement on record, in the order of the run's steps. */
function listMeasurements(run: RunDetail | undefined): string[] {
  return (run?.phases ?? []).flatMap(({ name, measurements }) =>
    measurements.map(({ measured_value: value, units, validators }) => {
      const limits = (validators ?? []).map(
        ({ operator, expected_value: limit }) => `${operator}${String(limit)}`,
      )
      return [`${name}: ${String(value)}`, ...(units ? [units] : []), ...limits].join(' ')
    }),
  )
}

const LIMITS = "{ unit: 'V', low: 3.2, high: 3.4 }"
const PAUSE = 'const pause = (ms) => new Promise((done) => setTimeout(done, ms))\n'

/** Everything that can be said, from every place that a test file has. */
function everything(dialect: Dialect, { release }: Target): OneFile {
  const { beforeAll, beforeEach, afterEach } = dialect
  // Playwright runs a beforeAll hook after the first test's start; since 1.50 it tells what was attached there.
  const isLater = dialect.framework === 'playwright'
  const isOfTest = isLater && release < 150
  const room: OneFile['steps'][number] = [isOfTest ? 'supply › reads › room' : 'room', 'PASS']
  return {
    body: `${beforeAll}(() => { measure('room', 21.5, { unit: '°C' }) })
      ${beforeEach}(() => { measure('before', 1) })
      ${afterEach}(() => { measure('after', 2) })
      ${dialect.describe}('supply', () => {
        test('reads', async () => {
          unitUnderTest({ serialNumber: 'PSU-0042', partNumber: 'PSU', revision: 'C' })
          variable('fixture', 7)
          variable('fixture', 'B')
          variable('framework', 'mine')
          log('warmed up\\nfor a minute')
          measure('output', 3.31, ${LIMITS})
          measureAll('ripple', [4, 5], { unit: 'mV', high: 10 })
          const answer = await step('under load', async () => {
            measure('output', 3.21, ${LIMITS})
            await step('at the limit', () => { measure('drop', 0.1) })
            return 42
          })
          if (answer !== 42) throw new Error('the step lost its answer')
          const bytes = Buffer.from('first')
          attach('photo', { body: bytes, contentType: 'image/png' })
          bytes.fill(0)
          require_fs.writeFileSync('reading.csv', '1;2')
          attach('reading', { path: 'reading.csv' })
          require_fs.rmSync('reading.csv')
        })
        test('says nothing', () => {})
      })\n`,
    steps: [
      ...(isLater ? [] : [room]),
      ['supply › reads', 'PASS'],
      ...(isOfTest ? [room] : []),
      ['supply › reads › before', 'PASS'],
      ['supply › reads › output', 'PASS'],
      ['supply › reads › ripple #1', 'PASS'],
      ['supply › reads › ripple #2', 'PASS'],
      ['supply › reads › under load', 'PASS'],
      ['supply › reads › under load › output', 'PASS'],
      ['supply › reads › under load › at the limit', 'PASS'],
      ['supply › reads › under load › at the limit › drop', 'PASS'],
      ['supply › reads › after', 'PASS'],
      ...(isLater && !isOfTest ? [room] : []),
      ['supply › says nothing', 'PASS'],
      ['supply › says nothing › before', 'PASS'],
      ['supply › says nothing › after', 'PASS'],
    ],
    variables: { tests_passed: '2', fixture: 'B', framework: dialect.framework },
    log: [
      /log .*warmed up\n.*\| for a minute/,
      "framework is Runledger's own",
      /measured .*✓ output = 3.31 V \(3.2 to 3.4 V\)/,
    ],
    attachments: ['supply › reads/photo.png', 'supply › reads/reading.csv'],
    check: async ({ runs: [run], service }) => {
      expect(listMeasurements(run)).toContain('supply › reads › output: 3.31 V >=3.2 <=3.4')
      expect(listMeasurements(run)).toContain('supply › reads › ripple #2: 5 mV <=10')
      const { unit } = run as RunDetail
      expect([unit.serial_number, unit.part.number, unit.part.revision.number]).toEqual([
        'PSU-0042',
        'PSU',
        'C',
      ])
      const download = async (name: string) => String(await service.download(run as RunDetail, name))
      expect(await download('supply › reads/photo.png')).toBe('first')
      expect(await download('supply › reads/reading.csv')).toBe('1;2')
    },
  }
}

const FS: Record<Dialect['framework'], string> = {
  jest: "const require_fs = require('fs')\n",
  playwright: "const require_fs = require('fs')\n",
  vitest: "import * as require_fs from 'node:fs'\n",
}

function measured(...expected: string[]): (outcome: Observation) => void {
  return ({ runs: [run] }) => expect(listMeasurements(run)).toEqual(expected)
}

export const TEST_SIDE: Chapter = {
  title: 'What tests say',
  behaviours: [
    {
      name: 'measurements, steps, attachments, variables and the unit are on record from a test and its hooks',
      isCore: true,
      scenario: (dialect, target) => {
        const { body, ...rest } = everything(dialect, target)
        return speaking(dialect, { body: FS[dialect.framework] + body, ...rest })
      },
    },
    {
      name: 'a measurement outside its limits fails its test; a soft one is a failed step of a test that goes on',
      isCore: true,
      scenario: (dialect) =>
        speaking(dialect, {
          body: `expect.extend({ toBeWithinLimits })
            test('soft', () => { measure('output', 3.5, { unit: 'V', high: 3.4, soft: true }) })
            test('hard', () => { measure('output', 3.5, ${LIMITS}) })
            test('matcher', () => {
              expect(3.3).toBeWithinLimits({ name: 'first', ...${LIMITS} })
              expect(3.6).toBeWithinLimits({ name: 'second', ...${LIMITS} })
            })
            test('misuse', () => { measure('output', NaN) })\n`,
          steps: [
            ['soft', 'PASS'],
            ['soft › output', 'FAIL'],
            ['hard', 'FAIL'],
            ['hard › output', 'FAIL'],
            ['matcher', 'FAIL'],
            ['matcher › first', 'PASS'],
            ['matcher › second', 'FAIL'],
            ['misuse', 'FAIL'],
          ],
          variables: { tests_passed: '1', tests_failed: '3' },
          log: [
            'measure("output")',
            'Expected: 3.2 to 3.4 V',
            'Received: 3.6 V',
            'value is NaN; give a finite number',
          ],
        }),
    },
    {
      name: 'of a retried test the last attempt is on record; earlier ones, and tests of equal names, stay apart',
      isCore: true,
      scenario: (dialect) => {
        const isPlaywright = dialect.framework === 'playwright'
        const same = isPlaywright ? '' : "test('reads', () => { measure('output', 100) })\n"
        return speaking(dialect, {
          options: dialect.retries(2),
          body: `${dialect.retryLine(2)}${dialect.attemptLine}${same}
            test('reads', () => {
              const number = attempt()
              measure('output', number)
              attach('note', { body: 'try ' + number })
              if (number < 3) throw new Error('try no. ' + number)
            })\n`,
          steps: isPlaywright
            ? [
                ['reads', 'PASS'],
                ['reads › output', 'PASS'],
              ]
            : [
                ['reads', 'PASS'],
                ['reads › output', 'PASS'],
                ['reads (2)', 'PASS'],
                ['reads (2) › output', 'PASS'],
              ],
          variables: { tests_passed: isPlaywright ? '1' : '2', tests_flaky: '1', retries: '2' },
          log: [/attempt 1[^]*output = 1\n[^]*attempt 2[^]*output = 2\n[^]*attempt 3[^]*output = 3\n/],
          check: async ({ runs: [run], service }) => {
            expect(listMeasurements(run).at(-1)).toMatch(/output: 3$/)
            const name = isPlaywright ? 'reads' : 'reads (2)'
            const note = await service.download(run as RunDetail, `${name}/attempt-2/note.txt`)
            expect(String(note)).toBe('try 2')
          },
        })
      },
    },
    {
      name: 'what concurrent tests measure belongs to the right one of them',
      isCore: true,
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return { notPossible: 'A worker of Playwright Test runs one test at a time.' }
        const [given, own] = dialect.framework === 'vitest' ? ['ctx', 'withTest(ctx).'] : ['', '']
        const one = (title: string, value: number, ms: number) =>
          `test.concurrent('${title}', async (${given}) => { await pause(${ms}); ${own}measure('output', ${value}); await pause(30)
            await ${own}step('again', async () => { await pause(20); ${own}measure('output', ${value + 10}) }) })\n`
        return speaking(dialect, {
          body: PAUSE + one('slow', 1, 60) + one('quick', 2, 20) + one('middle', 3, 40),
          steps: ['slow', 'quick', 'middle'].flatMap((name): OneFile['steps'] =>
            ['', ' › output', ' › again', ' › again › output'].map((rest) => [name + rest, 'PASS']),
          ),
          unordered: true,
          variables: { tests_passed: '3' },
          check: ({ runs: [run] }) => {
            const values = [1, 2, 3].flatMap((value, index) => {
              const name = ['slow', 'quick', 'middle'][index]
              return [`${name} › output: ${value}`, `${name} › again › output: ${value + 10}`]
            })
            expect(listMeasurements(run).toSorted()).toEqual(values.toSorted())
          },
        })
      },
    },
    {
      name: 'what a test measured before its worker crashed is on record',
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
      scenario: (dialect) => ({
        files: {
          ...pick<Record<string, string>>(dialect, {
            jest: { 'jest.config.js': 'module.exports = {}\n' },
            vitest: { 'vitest.config.mjs': 'export default {}\n' },
            playwright: { 'playwright.config.js': 'module.exports = {}\n' },
          }),
          'a.test.js': `${dialect.head}${speaks(dialect)}
            test('speaks', async () => {
              measure('output', 3.3); variable('x', 1); subUnit('B-1'); unitUnderTest({ serialNumber: 'A' }); log('hi')
              attach('note', { body: 'x' })
              if ((await step('one', () => 1)) !== 1) throw new Error('the step lost its answer')
              expect(() => measure('output', Infinity)).toThrow('value is Infinity')
              expect(() => measure('output', 3.5, ${LIMITS})).toThrow('Received: 3.5 V')
            })\n`,
        },
        exitCode: 0,
        runs: [],
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
          check: measured('reads › output: 3.3'),
        }
      },
    },
  ],
}
