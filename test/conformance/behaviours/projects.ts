import { pick, type Chapter, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'

const HOLDS = "test('holds', () => {})\n"
const FAILS = "test('fails', () => { throw new Error('no device') })\n"

/** Two projects that run the same files; only the second has a name. */
export const ONE_NAMED = {
  jest: `projects: [{ globals: { PLACE: 'first' } }, { displayName: 'second', globals: { PLACE: 'second' } }],`,
  vitest: `projects: [{ test: { env: { PLACE: 'first' } } }, { test: { name: 'second', env: { PLACE: 'second' } } }],`,
  playwright: `projects: [{}, { name: 'second' }],`,
}

const NONE_NAMED = {
  jest: `projects: [{ globals: { PLACE: 'first' } }, { globals: { PLACE: 'second' } }],`,
  vitest: `projects: [{ test: { env: { PLACE: 'first' } } }, { test: { env: { PLACE: 'second' } } }],`,
  playwright: `projects: [{}, { metadata: { place: 'second' } }],`,
}

export const PLACE = {
  jest: 'PLACE',
  vitest: 'process.env.PLACE',
  playwright: "(test.info().project.name || test.info().project.metadata?.place || 'first')",
}

/** How each framework, or the reporter where it does not, names projects that have no name. */
const UNNAMED = {
  jest: ['project 1', 'project 2'],
  vitest: ['0', '1'],
  playwright: ['', ''],
}

const PASSED: ExpectedRun = {
  file: 'a.test.js',
  outcome: 'PASS',
  steps: [
    ['holds', 'PASS'],
    ['is in the first', 'PASS'],
  ],
}
const FAILED: ExpectedRun = {
  file: 'a.test.js',
  project: 'second',
  outcome: 'FAIL',
  steps: [
    ['holds', 'PASS'],
    ['is in the first', 'FAIL'],
  ],
}

const SETUP_PROJECTS = `projects: [
  { name: 'set-up', testMatch: 'set-up.js', teardown: 'tear-down' },
  { name: 'tear-down', testMatch: 'tear-down.js' },
  { name: 'main', testMatch: 'a.test.js', dependencies: ['set-up'] },
  { name: 'other', testMatch: 'b.test.js' },
],`

const NO_DEPENDENCIES = { notPossible: 'Only Playwright has projects that depend on others.' }

/** A file of one passing test in each of the projects, but for the ones given otherwise. */
function dependentProjects(dialect: Dialect, others: Record<string, string>): Scenario['files'] {
  const names = ['set-up.js', 'tear-down.js', 'a.test.js', 'b.test.js']
  const files = names.map((name) => [name, dialect.head + (others[name] ?? HOLDS)])
  return { ...dialect.config(SETUP_PROJECTS), ...Object.fromEntries(files) }
}

export const PROJECTS: Chapter = {
  title: 'Projects',
  behaviours: [
    {
      name: 'a file in several projects is a run in each of them',
      isCore: true,
      scenario: (dialect) => ({
        files: {
          ...dialect.config(pick(dialect, ONE_NAMED)),
          'a.test.js': `${dialect.head}${HOLDS}
            test('is in the first', () => { expect(${pick(dialect, PLACE)}).toBe('first') })\n`,
        },
        exitCode: 1,
        runs: [{ ...PASSED, project: pick(dialect, UNNAMED)[0] ?? '' }, FAILED],
      }),
    },
    {
      name: 'projects without names are told apart',
      scenario: (dialect) => {
        if (dialect.framework === 'playwright')
          return {
            notPossible:
              'Playwright gives reporters nothing that tells projects of one name from each other.',
          }
        const [first = '', second = ''] = pick(dialect, UNNAMED)
        return {
          files: {
            ...dialect.config(pick(dialect, NONE_NAMED)),
            'a.test.js': `${dialect.head}${HOLDS}
              test('is in the first', () => { expect(${pick(dialect, PLACE)}).toBe('first') })\n`,
          },
          exitCode: 1,
          runs: [
            { ...PASSED, project: first },
            { ...FAILED, project: second },
          ],
        }
      },
    },
    {
      name: 'a project left out on the command line has no run',
      scenario: (dialect) => ({
        files: {
          ...dialect.config(
            pick(dialect, {
              jest: "projects: ['first', 'second'].map((name) => ({ displayName: name, globals: { PLACE: name } })),",
              vitest:
                "projects: ['first', 'second'].map((name) => ({ test: { name, env: { PLACE: name } } })),",
              playwright: "projects: [{ name: 'first' }, { name: 'second' }],",
            }),
          ),
          'a.test.js': `${dialect.head}${HOLDS}
            test('is in the first', () => { expect(${pick(dialect, PLACE)}).toBe('first') })\n`,
        },
        args: pick(dialect, {
          jest: ['--selectProjects', 'first'],
          vitest: ['--project=first'],
          playwright: ['--project=first'],
        }),
        exitCode: 0,
        runs: [{ ...PASSED, project: 'first' }],
      }),
    },
    {
      name: 'a set-up project that fails is the only failed run; what depends on it has none',
      isCore: true,
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright') return NO_DEPENDENCIES
        return {
          files: dependentProjects(dialect, { 'set-up.js': FAILS }),
          exitCode: 1,
          runs: [
            { file: 'set-up.js', project: 'set-up', outcome: 'FAIL', steps: [['fails', 'FAIL']] },
            { file: 'tear-down.js', project: 'tear-down', outcome: 'PASS', steps: [['holds', 'PASS']] },
            { file: 'b.test.js', project: 'other', outcome: 'PASS', steps: [['holds', 'PASS']] },
          ],
        }
      },
    },
    {
      name: 'a teardown project that fails leaves the others their verdicts',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright') return NO_DEPENDENCIES
        const passed = (file: string, project: string): ExpectedRun => ({
          file,
          project,
          outcome: 'PASS',
          steps: [['holds', 'PASS']],
        })
        return {
          files: dependentProjects(dialect, { 'tear-down.js': FAILS }),
          exitCode: 1,
          runs: [
            passed('set-up.js', 'set-up'),
            { file: 'tear-down.js', project: 'tear-down', outcome: 'FAIL', steps: [['fails', 'FAIL']] },
            passed('a.test.js', 'main'),
            passed('b.test.js', 'other'),
          ],
        }
      },
    },
  ],
}
