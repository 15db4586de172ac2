import type { FullProject, Suite as PlaywrightSuite, TestCase, TestResult } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import type { NoteReader } from './attempt-notes'
import { isSettled, listFileSuites } from './file-suites'

type Status = TestResult['status']

function createTest(statuses: Status[], retries = 0): TestCase {
  const results = statuses.map((status) => ({ status }))
  return { results, retries, expectedStatus: 'passed' } as TestCase
}

/** A test not to be run, which the worker that came by has left out. */
function createSkipped(retries: number): TestCase {
  const result = { status: 'skipped', workerIndex: 0 } as TestResult
  return { results: [result], retries, expectedStatus: 'skipped' } as TestCase
}

const over: NoteReader = () => ({ startedAtMs: 0, isOver: true, output: [], keptPaths: new Map() })
const running: NoteReader = () => ({ startedAtMs: 0, isOver: false, output: [], keptPaths: new Map() })
const settles = (...tests: TestCase[]) => isSettled({ project: '', file: 'a.spec.ts', tests }, over)

function createSuite(children: {
  suites?: PlaywrightSuite[]
  tests?: TestCase[]
  file?: string
  project?: string
}) {
  const suite = {
    suites: children.suites ?? [],
    location: children.file === undefined ? undefined : { file: children.file, line: 0, column: 0 },
    project: () => (children.project === undefined ? undefined : ({ name: children.project } as FullProject)),
    allTests: () => children.tests ?? [],
  }
  return suite as unknown as PlaywrightSuite
}

describe('listFileSuites', () => {
  it('joins the shards and repetitions of one file in one project', () => {
    const [a, b, c] = [createTest([]), createTest([]), createTest([])]
    const shard = (project: string, test: TestCase) =>
      createSuite({ project, suites: [createSuite({ file: '/project/tests/a.spec.ts', tests: [test] })] })
    const root = createSuite({ suites: [shard('chromium', a), shard('chromium', b), shard('firefox', c)] })
    expect(listFileSuites(root, '/project')).toEqual([
      { project: 'chromium', file: 'tests/a.spec.ts', tests: [a, b] },
      { project: 'firefox', file: 'tests/a.spec.ts', tests: [c] },
    ])
  })
})

describe('a file without a project or a location', () => {
  it('is named by its title', () => {
    const file = Object.assign(createSuite({ tests: [] }), { title: 'tests/a.spec.ts' })
    const root = createSuite({ suites: [createSuite({ suites: [file] })] })
    expect(listFileSuites(root, '/project')).toEqual([{ project: '', file: 'tests/a.spec.ts', tests: [] }])
  })
})

describe('isSettled', () => {
  it.each<[string, Status[], number]>([
    ['has not begun', [], 0],
    ['failed and will be retried', ['failed'], 1],
    ['was skipped because another failed, and will be retried with it', ['skipped'], 1],
    ['was interrupted', ['interrupted'], 0],
  ])('waits for a test that %s', (_, statuses, retries) => {
    expect(settles(createTest(['passed']), createTest(statuses, retries))).toBe(false)
  })

  it('waits for a skipped test that the next worker will run with the retried ones', () => {
    const untouched = { status: 'skipped', workerIndex: -1 } as TestResult
    const fixme = { results: [untouched], retries: 1, expectedStatus: 'skipped' } as TestCase
    expect(settles(createTest(['failed', 'passed'], 1), fixme)).toBe(false)
    expect(settles(createTest(['passed'], 1), fixme)).toBe(true)
    expect(settles(createTest(['failed', 'passed'], 1), createSkipped(1))).toBe(true)
    expect(settles(createTest(['failed', 'failed'], 1), { ...fixme, retries: 0 } as TestCase)).toBe(true)
  })

  it.each<[string, Status[], number]>([
    ['passed', ['passed'], 1],
    ['passed on its last retry', ['failed', 'passed'], 1],
    ['failed on its last retry', ['failed', 'failed'], 1],
    ['was skipped because another failed for good', ['skipped'], 0],
  ])('waits no longer for a test that %s', (_, statuses, retries) => {
    expect(settles(createTest(statuses, retries))).toBe(true)
  })

  it('waits for a test whose attempt was never reported', () => {
    expect(
      isSettled({ project: '', file: 'a.spec.ts', tests: [createTest(['passed'])] }, () => undefined),
    ).toBe(false)
  })

  it('waits for a test that runs at the same time as others', () => {
    expect(isSettled({ project: '', file: 'a.spec.ts', tests: [createTest(['skipped'])] }, running)).toBe(
      false,
    )
  })
})
