import { expect } from 'vitest'
import { type Behaviour, type Chapter, type NotPossible, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { oneFile } from '../one-file'
import type { Target } from '../target'

export const NO_ATTACHMENTS: NotPossible = {
  notPossible: 'Jest knows no attachments: neither tests nor reporters have a call for them.',
}
const ONLY_PLAYWRIGHT: NotPossible = {
  notPossible: 'Only Playwright Test has output folders and files that it attaches by itself.',
}

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, index) => index)

/** One test, `reads`, whose body is given for each framework that has attachments. */
function attaching(
  dialect: Dialect,
  bodies: { vitest: string; playwright: string },
  more: Partial<Parameters<typeof oneFile>[1]> & { files?: Scenario['files'] } = {},
): Scenario | NotPossible {
  if (dialect.framework === 'jest') return NO_ATTACHMENTS
  const heads = { vitest: 'async ({ annotate }) =>', playwright: 'async ({}, info) =>' }
  const { files, ...rest } = more
  const scenario = oneFile(dialect, {
    body: `test('reads', ${heads[dialect.framework]} { ${bodies[dialect.framework]} })\n`,
    steps: [['reads', 'PASS']],
    ...rest,
  })
  return { ...scenario, files: { ...scenario.files, ...files } }
}

/** The bytes on record under a name are these. */
function holds(name: string, bytes: Uint8Array): NonNullable<Scenario['check']> {
  return async ({ runs: [run], service }) => {
    if (!run) throw new Error('no run')
    expect([...(await service.download(run, name))]).toEqual([...bytes])
  }
}

function ofPlaywright(name: string, scenario: (dialect: Dialect, target: Target) => Scenario): Behaviour {
  return {
    name,
    scenario: (dialect, target) =>
      dialect.framework === 'playwright' ? scenario(dialect, target) : ONLY_PLAYWRIGHT,
  }
}

export const ATTACHMENTS: Chapter = {
  title: 'Attachments',
  behaviours: [
    {
      name: 'a file that a test attaches is on record with all its bytes',
      isCore: true,
      scenario: (dialect) =>
        attaching(
          dialect,
          {
            vitest: "await annotate('reading', { path: './reading.bin' })",
            playwright: "await info.attach('reading', { path: __dirname + '/reading.bin' })",
          },
          { files: { 'reading.bin': EVERY_BYTE }, check: holds('reads/reading.bin', EVERY_BYTE) },
        ),
    },
    {
      name: 'bytes that a test attaches are on record as they are',
      scenario: (dialect, { release }) => {
        if (dialect.framework === 'vitest' && release === 3)
          return { notPossible: 'Vitest 3 corrupts bytes that are given as an array; it takes base64 text.' }
        return attaching(
          dialect,
          {
            vitest:
              "await annotate('reading', { body: Uint8Array.from([0, 127, 128, 255]), contentType: 'image/png' })",
            playwright:
              "await info.attach('reading', { body: Buffer.from([0, 127, 128, 255]), contentType: 'image/png' })",
          },
          { check: holds('reads/reading.png', Uint8Array.from([0, 127, 128, 255])) },
        )
      },
    },
    {
      name: 'attachments of one name stay apart, and names lead out of no folder',
      scenario: (dialect) =>
        attaching(
          dialect,
          {
            vitest: `for (const [name, body] of [['same', 'one'], ['same', 'two'], ['../../up', 'three']])
              await annotate(name, { body: btoa(body), contentType: 'text/plain' })`,
            playwright: `for (const [name, body] of [['same', 'one'], ['same', 'two'], ['../../up', 'three']])
              await info.attach(name, { body, contentType: 'text/plain' })`,
          },
          { attachments: ['reads/same.txt', 'reads/same (2).txt', 'reads/.._.._up.txt'] },
        ),
    },
    {
      name: 'an attachment that is no file, or no longer, is named in the log and costs nothing else',
      isCore: true,
      scenario: (dialect) =>
        attaching(
          dialect,
          {
            vitest: `await annotate('elsewhere', { path: 'https://bench.example/shot.png', contentType: 'image/png' })
              await annotate('reading', { body: btoa('3.3 V'), contentType: 'text/plain' })`,
            playwright: `info.attachments.push({ name: 'elsewhere', path: __dirname + '/gone.png', contentType: 'image/png' })
              await info.attach('reading', { body: '3.3 V', contentType: 'text/plain' })`,
          },
          { attachments: ['reads/reading.txt'], log: [/elsewhere/] },
        ),
    },
    {
      name: 'files that an earlier execution left in the output folder are not attached',
      scenario: (dialect) =>
        attaching(
          dialect,
          {
            vitest: "await annotate('reading', { body: btoa('3.3 V'), contentType: 'text/plain' })",
            playwright: "await info.attach('reading', { body: '3.3 V', contentType: 'text/plain' })",
          },
          {
            attachments: ['reads/reading.txt'],
            files: {
              'test-results/a-reads/old.png': EVERY_BYTE,
              '.vitest-attachments/old.png': EVERY_BYTE,
              '.vitest/attachments/old.png': EVERY_BYTE,
            },
          },
        ),
    },
    {
      ...ofPlaywright(
        'files of a passed test that the framework removes at the end are on record',
        (dialect) =>
          oneFile(dialect, {
            options: "preserveOutput: 'never',",
            body: `test('reads', async ({}, info) => {
            require('fs').writeFileSync(info.outputPath('reading.txt'), '3.3 V')
            await info.attach('reading', { path: info.outputPath('reading.txt'), contentType: 'text/plain' })
            await new Promise((done) => setTimeout(done, 500))
          })\n`,
            steps: [['reads', 'PASS']],
            check: holds('reads/reading.txt', Buffer.from('3.3 V')),
          }),
      ),
      isCore: true,
    },
    {
      name: 'files that a passed test attaches at its very end are on record where the framework removes them',
      scenario: ({ framework }) =>
        framework === 'playwright'
          ? {
              notPossible:
                'Under `preserveOutput` a worker of Playwright Test removes them at once, without waiting for reporters: they are on record when we come first, else named in the log.',
            }
          : ONLY_PLAYWRIGHT,
    },
    ofPlaywright(
      'a snapshot that differs is on record as it was seen, beside what was expected',
      (dialect, { release }) => {
        const scenario = oneFile(dialect, {
          options: "snapshotPathTemplate: '{testDir}/snapshots/{arg}{ext}',",
          body: "test('reads', () => { expect('3.1 V').toMatchSnapshot('reads.txt') })\n",
          steps: [['reads', 'FAIL']],
          attachments: [
            'reads/reads-actual.txt',
            'reads/reads-expected.txt',
            ...(release > 150 ? ['reads/error-context.md'] : []),
          ],
        })
        return { ...scenario, files: { ...scenario.files, 'snapshots/reads.txt': '3.3 V' } }
      },
    ),
  ],
}
