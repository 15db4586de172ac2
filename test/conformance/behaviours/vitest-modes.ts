import type { Chapter, ExpectedRun, NotPossible, Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import { speaks } from '../speech'
import type { Target } from '../target'

const HOLDS = "test('holds', () => { expect(1).toBe(1) })\n"
const ONLY_VITEST: NotPossible = { notPossible: 'Only Vitest has this mode.' }

function typecheck(dialect: Dialect, files: Scenario['files'], runs: ExpectedRun[]): Scenario | NotPossible {
  if (dialect.framework !== 'vitest') return ONLY_VITEST
  return {
    files: {
      ...dialect.config("typecheck: { enabled: true, include: ['**/*.test-d.ts'] },"),
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "skipLibCheck": true, "noEmit": true } }\n',
      ...files,
    },
    exitCode: runs.some(({ outcome }) => outcome === 'FAIL') ? 1 : 0,
    runs,
  }
}

const TYPES_HEAD = "import { expectTypeOf, test } from 'vitest'\n"

/** The browser configuration differs between the versions that have a provider of their own and those before. */
function browser({ release }: Target, files: Scenario['files']): Scenario['files'] {
  const launch = "{ executablePath: process.env.CHROMIUM_PATH, args: ['--no-sandbox'] }"
  const [imports, provider, instance] =
    release >= 4
      ? [
          "import { playwright } from '@vitest/browser-playwright'\n",
          `playwright({ launchOptions: ${launch} })`,
          "{ browser: 'chromium' }",
        ]
      : ['', "'playwright'", `{ browser: 'chromium', launch: ${launch} }`]
  // A cache of its own: in the framework's folder, projects that run side by side would write the same one.
  const config = `${imports}export default { cacheDir: '.vite', test: {
    reporters: ['default', '@runledger/vitest'],
    browser: { enabled: true, headless: true, provider: ${provider}, instances: [${instance}] },
  } }\n`
  return { 'vitest.config.mjs': config, ...files }
}

function inBrowser(files: (dialect: Dialect) => Scenario['files'], runs: ExpectedRun[]) {
  return (dialect: Dialect, target: Target): Scenario | NotPossible => {
    if (dialect.framework !== 'vitest') return ONLY_VITEST
    if (target.release >= 5)
      return {
        notPossible:
          'The browser provider of this very version is not in the registry yet; it asks for its own.',
      }
    return {
      files: browser(target, files(dialect)),
      exitCode: runs.some(({ outcome }) => outcome === 'FAIL') ? 1 : 0,
      runs,
    }
  }
}

export const VITEST_MODES: Chapter = {
  title: 'Type checks and browsers',
  behaviours: [
    {
      name: 'type tests are runs of their own beside the tests that run',
      isCore: true,
      scenario: (dialect) =>
        typecheck(
          dialect,
          {
            'a.test.js': dialect.head + HOLDS,
            'a.test-d.ts': `${TYPES_HEAD}
              test('is a number', () => { expectTypeOf(1).toBeNumber() })
              test('is a string', () => { expectTypeOf(1).toBeString() })\n`,
          },
          [
            { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] },
            {
              file: 'a.test-d.ts',
              project: 'typecheck',
              outcome: 'FAIL',
              steps: [
                ['is a number', 'PASS'],
                ['is a string', 'FAIL'],
              ],
            },
          ],
        ),
    },
    {
      name: 'a file that is both run and type-checked is two runs',
      scenario: (dialect) => {
        const scenario = typecheck(
          dialect,
          { 'a.test.ts': `${TYPES_HEAD}test('is a number', () => { expectTypeOf(1).toBeNumber() })\n` },
          ['', 'typecheck'].map((project) => ({
            file: 'a.test.ts',
            project,
            outcome: 'PASS',
            steps: [['is a number', 'PASS']],
          })),
        )
        return 'notPossible' in scenario ? scenario : { ...scenario, args: ['--typecheck.include=*.test.ts'] }
      },
    },
    {
      name: 'a type error outside every type test fails its file',
      scenario: (dialect) =>
        typecheck(
          dialect,
          {
            'a.test-d.ts': `${TYPES_HEAD}const volts: number = 'many'
              test('is a number', () => { expectTypeOf(1).toBeNumber() })\nexport { volts }\n`,
          },
          [
            {
              file: 'a.test-d.ts',
              project: 'typecheck',
              outcome: 'FAIL',
              steps: [
                ['is a number', 'PASS'],
                ['Type check', 'FAIL'],
              ],
              log: ["Type 'string' is not assignable to type 'number'", 'a.test-d.ts:2:'],
            },
          ],
        ),
    },
    {
      name: 'tests in a browser are on record like others',
      tags: ['chromium'],
      scenario: inBrowser(
        (dialect) => ({
          'a.test.js': `${dialect.head}${HOLDS}
            test('fails', () => { expect(document.title).toBe('no such title') })\n`,
          'b.test.js': dialect.head + HOLDS,
        }),
        [
          {
            file: 'a.test.js',
            project: 'chromium',
            outcome: 'FAIL',
            steps: [
              ['holds', 'PASS'],
              ['fails', 'FAIL'],
            ],
          },
          { file: 'b.test.js', project: 'chromium', outcome: 'PASS', steps: [['holds', 'PASS']] },
        ],
      ),
    },
    {
      name: 'what tests say in a browser is on record',
      tags: ['chromium'],
      scenario: inBrowser(
        (dialect) => ({
          'a.test.js': `${dialect.head}${speaks(dialect)}
            beforeAll(() => { measure('room', 21) })
            test('reads', async () => {
              await step('page', () => { measure('width', 800, { unit: 'px', low: 1 }) })
              attach('note', { body: 'as seen' })
              expect(() => measure('width', NaN)).toThrow('value is NaN')
            })\n`,
        }),
        [
          {
            file: 'a.test.js',
            project: 'chromium',
            outcome: 'PASS',
            steps: [
              ['room', 'PASS'],
              ['reads', 'PASS'],
              ['reads › page', 'PASS'],
              ['reads › page › width', 'PASS'],
            ],
            variables: { tests_passed: '1' },
            attachments: ['reads/note.txt'],
          },
        ],
      ),
    },
    {
      name: 'a file that a browser cannot load is a failed run',
      tags: ['chromium'],
      scenario: inBrowser(
        (dialect) => ({
          'a.test.js': `${dialect.head}throw new Error('bad file')\n`,
          'b.test.js': dialect.head + HOLDS,
        }),
        [
          {
            file: 'a.test.js',
            project: 'chromium',
            outcome: 'FAIL',
            steps: [['Suite failed to load', 'FAIL']],
            log: ['bad file'],
          },
          { file: 'b.test.js', project: 'chromium', outcome: 'PASS', steps: [['holds', 'PASS']] },
        ],
      ),
    },
  ],
}
