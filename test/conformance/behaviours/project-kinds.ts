import { expect } from 'vitest'
import { pick, type Chapter, type ExpectedRun, type Observation, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"
const FAILS = "test('fails', () => { expect(1).toBe(2) })\n"
const ES_MODULE = '{ "name": "@acme/widget", "version": "2.1.0", "type": "module" }\n'
const RUNS: ExpectedRun[] = [
  { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
  { file: 'b.test.js', outcome: 'FAIL', steps: [['fails', 'FAIL']] },
]

/** First lines of a test file that is an ES module. */
const ES_HEADS = {
  jest: "import { expect, test } from '@jest/globals'\n",
  vitest: "import { expect, test } from 'vitest'\n",
  playwright: "import { expect, test } from '@playwright/test'\n",
}

const FACTORIES = {
  jest: { file: 'jest.config', code: "{ reporters: ['default', '@runledger/jest'] }" },
  vitest: { file: 'vitest.config', code: "{ test: { reporters: ['default', '@runledger/vitest'] } }" },
  playwright: { file: 'playwright.config', code: "{ reporter: [['list'], ['@runledger/playwright']] }" },
}

function twoFiles(head: string, extension: string): Scenario['files'] {
  return { [`a.test.${extension}`]: head + HOLDS, [`b.test.${extension}`]: head + FAILS }
}

const monorepo = (dialect: Dialect): Scenario['files'] => ({
  'package.json': '{ "name": "@acme/fleet", "version": "9.0.0", "private": true }\n',
  'packages/one/package.json': '{ "name": "@acme/one", "version": "1.0.0" }\n',
  'packages/one/tests/a.test.js': dialect.head + HOLDS,
  'packages/two/package.json': '{ "name": "@acme/two", "version": "2.0.0" }\n',
  'packages/two/tests/b.test.js': dialect.head + FAILS,
})

function expectUnits({ runs }: Observation): void {
  const units = runs.map(({ metadata, unit }) => [
    metadata['file'],
    unit.part.number,
    unit.serial_number.split('@')[0],
  ])
  const packages = runs.map(({ metadata }) => (String(metadata['file']).includes('a.test') ? 'one' : 'two'))
  expect(units).toEqual(
    runs.map(({ metadata }, index) => [
      metadata['file'],
      `@acme/${packages[index]}`,
      `acme-${packages[index]}`,
    ]),
  )
}

export const PROJECT_KINDS: Chapter = {
  title: 'Kinds of projects',
  behaviours: [
    {
      name: 'a project of ES modules is on record',
      isCore: true,
      scenario: (dialect) => {
        const { file, code } = pick(dialect, FACTORIES)
        return {
          files: {
            'package.json': ES_MODULE,
            [`${file}.js`]: `export default ${code}\n`,
            ...twoFiles(pick(dialect, ES_HEADS), 'js'),
          },
          ...(dialect.framework === 'jest' && { env: { NODE_OPTIONS: '--experimental-vm-modules' } }),
          exitCode: 1,
          runs: RUNS,
        }
      },
    },
    {
      name: 'a project whose config is CommonJS is on record',
      isCore: true,
      scenario: (dialect) => {
        const { file, code } = pick(dialect, FACTORIES)
        return {
          files: {
            'package.json': ES_MODULE.replace('module', 'commonjs'),
            [`${file}.${pick(dialect, { jest: 'cjs', vitest: 'cjs', playwright: 'js' })}`]: `module.exports = ${code}\n`,
            ...twoFiles(dialect.head, 'js'),
          },
          exitCode: 1,
          runs: RUNS,
        }
      },
    },
    {
      name: 'a project in TypeScript is on record',
      scenario: (dialect, { nodeMajor }) => {
        const { file, code } = pick(dialect, FACTORIES)
        if (dialect.framework === 'jest') {
          if (nodeMajor < 24)
            return {
              notPossible:
                'Jest reads TypeScript only with packages of others, or on a Node that strips types.',
            }
          return {
            files: {
              'jest.config.ts': `const config: object = ${code}\nexport default config\n`,
              ...twoFiles('', 'js'),
            },
            exitCode: 1,
            runs: RUNS,
          }
        }
        return {
          files: {
            [`${file}.ts`]: `const config: object = ${code}\nexport default config\n`,
            ...twoFiles(`${pick(dialect, ES_HEADS)}const limit: number = 1\nvoid limit\n`, 'ts'),
          },
          exitCode: 1,
          runs: RUNS.map((run) => ({ ...run, file: run.file.replace('.js', '.ts') })),
        }
      },
    },
    {
      name: 'each package of a monorepo is the unit of its own tests',
      isCore: true,
      scenario: (dialect) => {
        const options = pick(dialect, {
          jest: "projects: ['one', 'two'].map((name) => ({ displayName: name, rootDir: 'packages/' + name })),",
          vitest: "projects: ['one', 'two'].map((name) => ({ root: 'packages/' + name, test: { name } })),",
          playwright: "projects: ['one', 'two'].map((name) => ({ name, testDir: 'packages/' + name })),",
        })
        return {
          files: { ...dialect.config(options), ...monorepo(dialect) },
          exitCode: 1,
          runs: [
            {
              file: 'packages/one/tests/a.test.js',
              project: 'one',
              outcome: 'PASS',
              steps: [['holds', 'PASS']],
            },
            {
              file: 'packages/two/tests/b.test.js',
              project: 'two',
              outcome: 'FAIL',
              steps: [['fails', 'FAIL']],
            },
          ],
          check: expectUnits,
        }
      },
    },
    {
      name: 'a package of a monorepo that is tested by itself has its files from its own root',
      scenario: (dialect) => {
        const [name = '', config = ''] = Object.entries(dialect.config())[0] ?? []
        return {
          files: {
            ...monorepo(dialect),
            [`packages/one/${name}`]: config,
            [`packages/two/${name}`]: config,
          },
          exitCode: 1,
          runs: [
            { file: 'tests/a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
            { file: 'tests/b.test.js', outcome: 'FAIL', steps: [['fails', 'FAIL']] },
          ],
          drive: async ({ run }) => {
            const choose = (folder: string) =>
              pick(dialect, {
                jest: ['--rootDir', folder, '--config', `${folder}/${name}`],
                vitest: ['--root', folder],
                playwright: ['--config', `${folder}/${name}`],
              })
            await run(choose('packages/one'))
            return run(choose('packages/two'))
          },
          check: expectUnits,
        }
      },
    },
  ],
}
