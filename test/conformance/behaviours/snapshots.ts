import { pick, type Behaviour, type Chapter, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import type { Target } from '../target'

type Steps = ExpectedRun['steps']

interface SnapshotProject {
  /** What the test reads; the snapshot holds `3.3 V`. */
  reading: string
  /** Whether there is a snapshot for the test, and one that belongs to no test. */
  holds: ('current' | 'obsolete')[]
  /** More options of Playwright's config; the others are told by arguments. */
  playwrightOptions?: string
  args?: string[]
  env?: Record<string, string>
  steps: Steps
  log?: ExpectedRun['log']
}

/** A project with one test that compares a reading with a snapshot. */
function snapshot(dialect: Dialect, project: SnapshotProject): Scenario {
  const hasFailed = project.steps.some(([, verdict]) => verdict === 'FAIL')
  const compares = pick(dialect, {
    jest: 'toMatchSnapshot()',
    vitest: 'toMatchSnapshot()',
    playwright: "toMatchSnapshot('reads.txt')",
  })
  const { args, env, log, steps, playwrightOptions = '' } = project
  return {
    files: {
      ...dialect.config(
        pick(dialect, { jest: '', vitest: '', playwright: IN_ONE_FOLDER + playwrightOptions }),
      ),
      'a.test.js': `${dialect.head}test('reads', () => { expect('${project.reading}').${compares} })\n`,
      ...storeSnapshots(dialect, project.holds),
    },
    ...(args && { args }),
    ...(env && { env }),
    exitCode: hasFailed ? 1 : 0,
    runs: [{ file: 'a.test.js', outcome: hasFailed ? 'FAIL' : 'PASS', steps, ...(log && { log }) }],
  }
}

const IN_ONE_FOLDER = "snapshotPathTemplate: '{testDir}/snapshots/{arg}{ext}',"

function storeSnapshots({ framework }: Dialect, holds: SnapshotProject['holds']): Record<string, string> {
  if (framework === 'playwright') {
    return {
      ...(holds.includes('current') && { 'snapshots/reads.txt': '3.3 V' }),
      ...(holds.includes('obsolete') && { 'snapshots/is gone.txt': '1.8 V' }),
    }
  }
  if (holds.length === 0) return {}
  const head = {
    jest: '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing',
    vitest: '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html',
  }
  const entries = [
    ...(holds.includes('obsolete') ? ['\nexports[`is gone 1`] = `"1.8 V"`;\n'] : []),
    ...(holds.includes('current') ? ['\nexports[`reads 1`] = `"3.3 V"`;\n'] : []),
  ]
  return { '__snapshots__/a.test.js.snap': `${head[framework]}\n${entries.join('')}` }
}

const PASSED: Steps = [['reads', 'PASS']]
const FAILED: Steps = [['reads', 'FAIL']]
const UPDATE = { jest: ['--updateSnapshot'], vitest: ['--update'], playwright: ['--update-snapshots'] }

function snapshotBehaviour(
  name: string,
  create: (dialect: Dialect, target: Target) => SnapshotProject,
): Behaviour {
  return { name, scenario: (dialect, target) => snapshot(dialect, create(dialect, target)) }
}

export const SNAPSHOTS: Chapter = {
  title: 'Snapshots',
  behaviours: [
    snapshotBehaviour('a snapshot that matches is a passed step', () => ({
      reading: '3.3 V',
      holds: ['current'],
      steps: PASSED,
    })),
    {
      ...snapshotBehaviour(
        'a snapshot that does not match is a failed step with both values in the log',
        (_dialect, { release }) => ({
          reading: '3.1 V',
          holds: ['current'],
          steps: FAILED,
          // Playwright 1.40 shows the difference by colours alone.
          log: release === 140 ? ['Snapshot comparison failed'] : ['3.3 V', '3.1 V'],
        }),
      ),
      isCore: true,
    },
    snapshotBehaviour(
      'a snapshot that is written for the first time passes where the framework lets it',
      (dialect) => ({
        reading: '3.3 V',
        holds: [],
        // Playwright writes it and fails the test, so that somebody looks at it.
        steps: pick(dialect, { jest: PASSED, vitest: PASSED, playwright: FAILED }),
      }),
    ),
    snapshotBehaviour('a snapshot that must not be written is a failed step', (dialect) => ({
      reading: '3.3 V',
      holds: [],
      args: pick(dialect, { jest: ['--ci'], vitest: [], playwright: [] }),
      playwrightOptions: "updateSnapshots: 'none',",
      env: { CI: 'true' },
      steps: FAILED,
    })),
    snapshotBehaviour('a snapshot that is updated is a passed step', (dialect) => ({
      reading: '3.1 V',
      holds: ['current'],
      args: pick(dialect, UPDATE),
      steps: PASSED,
    })),
    {
      ...snapshotBehaviour(
        'an obsolete snapshot fails the run only where the framework fails it',
        (dialect) => ({
          reading: '3.3 V',
          holds: ['current', 'obsolete'],
          steps: pick<Steps>(dialect, {
            jest: [...PASSED, ['Obsolete snapshot', 'FAIL']],
            vitest: PASSED,
            playwright: PASSED,
          }),
        }),
      ),
      isCore: true,
    },
    snapshotBehaviour(
      'an obsolete snapshot fails the run in CI only where the framework fails it',
      (dialect, { release }) => ({
        reading: '3.3 V',
        holds: ['current', 'obsolete'],
        args: pick(dialect, { jest: ['--ci'], vitest: [], playwright: [] }),
        env: { CI: 'true' },
        steps: pick<Steps>(dialect, {
          jest: [...PASSED, ['Obsolete snapshot', 'FAIL']],
          vitest: release >= 4 ? [...PASSED, ['Obsolete snapshot', 'FAIL']] : PASSED,
          playwright: PASSED,
        }),
      }),
    ),
    snapshotBehaviour('an obsolete snapshot that an update removes fails nothing', (dialect) => ({
      reading: '3.3 V',
      holds: ['current', 'obsolete'],
      args: pick(dialect, UPDATE),
      steps: PASSED,
    })),
    {
      name: 'a snapshot of a test that a name filter leaves out is not obsolete',
      scenario: (dialect) => {
        const scenario = snapshot(dialect, { reading: '3.3 V', holds: ['current'], steps: PASSED })
        const runs: ExpectedRun[] = [{ file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }]
        const files = { ...scenario.files }
        files['a.test.js'] += "test('holds', () => {})\n"
        return { ...scenario, files, args: [pick(dialect, FILTER), 'holds'], runs }
      },
    },
    {
      name: 'a snapshot file without its test file fails the execution only where the framework fails it',
      scenario: (dialect) => {
        const scenario = snapshot(dialect, { reading: '3.3 V', holds: ['current'], steps: PASSED })
        const gone = {
          '__snapshots__/gone.test.js.snap': scenario.files['__snapshots__/a.test.js.snap'] ?? '',
        }
        if (dialect.framework !== 'jest') return { ...scenario, files: { ...scenario.files, ...gone } }
        const obsolete: ExpectedRun = {
          file: '(execution)',
          outcome: 'FAIL',
          steps: [['Obsolete snapshot file', 'FAIL']],
          log: ['gone.test.js.snap'],
        }
        return {
          ...scenario,
          files: { ...scenario.files, ...gone },
          exitCode: 1,
          runs: [...scenario.runs, obsolete],
        }
      },
    },
  ],
}

const FILTER = { jest: '-t', vitest: '-t', playwright: '-g' }
