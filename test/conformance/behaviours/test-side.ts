import type { RunDetail } from '@runledger/protocol'
import { expect } from 'vitest'
import type { Chapter, Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile, type OneFile } from '../one-file'
import { listMeasurements, PAUSE, speaks } from '../speech'
import type { Target } from '../target'

function speaking(dialect: Dialect, { body, ...rest }: OneFile): Scenario {
  return oneFile(dialect, { body: speaks(dialect) + body, ...rest })
}

const LIMITS = "{ unit: 'V', low: 3.2, high: 3.4 }"

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
          unitUnderTest({ serialNumber: 'PSU-0042', partNumber: 'PSU', revision: 'C', batchNumber: 'LOT-7' })
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
          if (answer !== 42) throw new Error('the step lost its response')
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
      const { number, revision } = unit.part
      expect([unit.serial_number, number, revision.number, unit.batch?.number]).toEqual([
        'PSU-0042',
        'PSU',
        'C',
        'LOT-7',
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
      name: 'a measurement outside its limits fails its test',
      isCore: true,
      scenario: (dialect) =>
        speaking(dialect, {
          body: `expect.extend({ toBeWithinLimits })
            test('hard', () => { measure('output', 3.5, ${LIMITS}) })
            test('matcher', () => {
              expect(3.3).toBeWithinLimits({ name: 'first', ...${LIMITS} })
              expect(3.6).toBeWithinLimits({ name: 'second', ...${LIMITS} })
            })
            test('misuse', () => { measure('output', NaN) })\n`,
          steps: [
            ['hard', 'FAIL'],
            ['hard › output', 'FAIL'],
            ['matcher', 'FAIL'],
            ['matcher › first', 'PASS'],
            ['matcher › second', 'FAIL'],
            ['misuse', 'FAIL'],
          ],
          variables: { tests_passed: '0', tests_failed: '3' },
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
      name: 'native steps, annotations and tags are on record as far as they are asked for',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright')
          return { notPossible: 'Only Playwright Test has steps and tags of its own.' }
        const scenario = speaking(dialect, {
          body: `test('reads @quick', async ({}, info) => {
              info.annotations.push({ type: 'issue', description: 'RL-7' })
              await test.step('native', async () => {
                await test.step('nested', async () => { await test.step('too deep', () => {}) })
                measure('output', 1)
              })
              await step('ours', () => {})
            })\n`,
          steps: ['', ' › native', ' › native › nested', ' › output', ' › ours'].map((rest) => [
            `reads @quick${rest}`,
            'PASS',
          ]),
          variables: { tests_passed: '1' },
          log: [/reads @quick \(.*issue: RL-7/],
        })
        const config = `module.exports = { reporter: [['list'], ['@runledger/playwright', { stepDepth: 2 }]] }\n`
        return { ...scenario, files: { ...scenario.files, 'playwright.config.js': config } }
      },
    },
  ],
}
