import type { TestCase, TestResult } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import type { AttemptNote } from './attempt-notes'
import { TEST_API_MEDIA_TYPE } from './channel'
import { mapTest, type TestContext } from './map-test'

type Status = TestResult['status']

const unseen: TestContext = { readNote: () => undefined, rootDir: '/project' }

interface Tries {
  statuses: Status[]
  /** Types of each attempt's annotations; versions before 1.52 have none. */
  annotated?: string[][]
  /** Types of the annotations of the test itself, which are those of its last attempt. */
  annotations?: string[]
}

/** A test that failed or passed, and skipped itself in its last attempt; Playwright calls it flaky. */
function mapSkippedAtLast({ statuses, annotated, annotations = ['skip'] }: Tries) {
  const typed = (types: string[]) => types.map((type) => ({ type }))
  const results = statuses.map((status, index) => ({
    status,
    errors: [],
    attachments: [],
    startTime: new Date(1000 * index),
    duration: 100,
    workerIndex: index,
    ...(annotated && { annotations: typed(annotated[index] ?? []) }),
  }))
  const test = {
    results,
    expectedStatus: 'skipped',
    annotations: typed(annotations),
    outcome: () => 'flaky',
    titlePath: () => ['', '', 'a.spec.ts', 'reads'],
  }
  const { outcome, flaky, attempts } = mapTest(test as unknown as TestCase, unseen)
  return { outcome, flaky, attempts: attempts.length }
}

describe('a test that skips itself in its last attempt', () => {
  it.each<[string, Tries, string, boolean]>([
    ['passed', { statuses: ['passed', 'skipped'] }, 'passed', false],
    ['failed, then passed', { statuses: ['failed', 'passed', 'skipped'] }, 'passed', true],
    ['never passed', { statuses: ['failed', 'timedOut', 'skipped'] }, 'failed', false],
    [
      'failed as expected',
      { statuses: ['failed', 'skipped'], annotated: [['fail'], ['fail', 'skip']] },
      'passed',
      false,
    ],
    [
      'failed before it was expected to',
      { statuses: ['failed', 'skipped'], annotated: [[], ['fail', 'skip']], annotations: ['fail', 'skip'] },
      'failed',
      false,
    ],
    [
      'failed as expected, in an old version',
      { statuses: ['failed', 'skipped'], annotations: ['fail', 'skip'] },
      'passed',
      false,
    ],
    [
      'passed against expectation',
      { statuses: ['passed', 'skipped'], annotations: ['fail', 'skip'] },
      'failed',
      false,
    ],
  ])('and %s before is what it came to', (_, tries, outcome, flaky) => {
    expect(mapSkippedAtLast(tries)).toEqual({ outcome, flaky, attempts: tries.statuses.length })
  })
})

type Attempt = Omit<Partial<TestResult>, 'annotations'> & { annotations?: { type: string }[] }

/** A test that passed in its only attempt, or was as the attempts say. */
function createTest(attempts: Attempt[], over: Partial<TestCase> = {}): TestCase {
  const results = attempts.map((attempt, index) => ({
    status: 'passed',
    errors: [],
    attachments: [],
    steps: [],
    startTime: new Date(1000 * (index + 1)),
    duration: 100,
    workerIndex: index,
    ...attempt,
  }))
  const test = {
    title: 'reads @fast',
    titlePath: () => ['', 'chromium', 'a.spec.ts', 'voltmeter', 'reads @fast'],
    expectedStatus: 'passed',
    annotations: [],
    tags: [],
    outcome: () => 'expected',
    results,
    ...over,
  }
  return test as unknown as TestCase
}

const noteOf = (over: Partial<AttemptNote>): TestContext => ({
  rootDir: '/project',
  readNote: () => ({
    startedAtMs: 1000,
    endedAtMs: 1100,
    isOver: true,
    output: [],
    keptPaths: new Map(),
    ...over,
  }),
})
const log = { kind: 'log', message: 'warm', order: 0, atMs: 1050 } as const
const batch = {
  name: 'runledger',
  contentType: TEST_API_MEDIA_TYPE,
  body: Buffer.from(JSON.stringify([log])),
}
const shot = { name: 'shot', contentType: 'image/png', path: '/project/test-results/a/shot.png' }

describe('a test that was tried more than once', () => {
  it('is flaky when it failed as expected only in the end', () => {
    const test = createTest(
      [
        { status: 'passed', annotations: [] },
        { status: 'failed', annotations: [{ type: 'fail' }] },
      ],
      { expectedStatus: 'failed', annotations: [{ type: 'fail' }], outcome: () => 'flaky' },
    )
    expect(mapTest(test, unseen)).toMatchObject({ outcome: 'passed', flaky: true })
  })

  it('is not flaky because it was interrupted before it passed', () => {
    const test = createTest([{ status: 'interrupted' }, { status: 'passed' }])
    expect(mapTest(test, unseen)).toMatchObject({ outcome: 'passed', flaky: false })
  })
})

describe('an attempt', () => {
  it('that failed because no worker could start it keeps its error', () => {
    const lost = {
      status: 'failed' as const,
      workerIndex: -1,
      errors: [{ message: 'Error: no such fixture' }],
    }
    const { attempts } = mapTest(createTest([lost], { outcome: () => 'unexpected' }), unseen)
    expect(attempts).toMatchObject([{ status: 'failed', errors: [{ message: 'Error: no such fixture' }] }])
  })

  it('has what the test recorded in it', () => {
    const [attempt] = mapTest(createTest([{ attachments: [batch] }]), unseen).attempts
    expect(attempt).toMatchObject({ events: [log], attachments: [] })
  })

  it('that passed against expectation has that as its error, since Playwright has none', () => {
    const annotations = [{ type: 'fail' }]
    const test = createTest([{ errors: [] }], {
      annotations,
      expectedStatus: 'failed',
      outcome: () => 'unexpected',
    })
    expect(mapTest(test, unseen).attempts[0]?.errors).toEqual([{ message: 'Expected to fail, but passed.' }])
    expect(mapTest(createTest([{ errors: [] }]), unseen).attempts[0]?.errors).toEqual([])
  })

  it('has no events when the test recorded none', () => {
    expect(mapTest(createTest([{}]), unseen).attempts[0]).not.toHaveProperty('events')
  })

  it('has the kept copy of a file that Playwright removes', () => {
    const test = createTest([{ attachments: [shot] }])
    const keptPaths = new Map([[shot.path, '/project/test-results/.runledger-x/1.png']])
    expect(mapTest(test, noteOf({ keptPaths })).attempts[0]?.attachments).toMatchObject([
      { path: '/project/test-results/.runledger-x/1.png' },
    ])
    expect(mapTest(test, unseen).attempts[0]?.attachments).toMatchObject([{ path: shot.path }])
  })
})

describe('an attempt that was skipped while it ran', () => {
  const listAttempts = (attempt: Attempt, note: Partial<AttemptNote> = {}) =>
    mapTest(
      createTest([{ ...attempt, status: 'skipped' }], {
        expectedStatus: 'skipped',
        outcome: () => 'skipped',
      }),
      noteOf(note),
    ).attempts

  it('is left out when there is nothing to tell of it', () => {
    expect(listAttempts({})).toEqual([])
  })

  it.each<[string, Attempt, Partial<AttemptNote>]>([
    ['an error', { errors: [{ message: 'Error: no bench' }] }, {}],
    ['an attachment', { attachments: [shot] }, {}],
    ['output', {}, { output: [{ stream: 'stdout', text: 'no bench\n', atMs: 1050 }] }],
    ['what it recorded', { attachments: [batch] }, {}],
  ])('is on record with %s', (_, attempt, note) => {
    expect(listAttempts(attempt, note)).toMatchObject([{ status: 'skipped' }])
  })
})

describe('the note of a test', () => {
  const describeTest = (over: Partial<TestCase>) => mapTest(createTest([{}], over), unseen).note

  it('tells its tags, but not those that its title has already', () => {
    expect(describeTest({ tags: ['@fast', '@bench'] })).toBe('@bench')
    expect(describeTest({ tags: ['@fast'] })).toBeUndefined()
  })

  it('tells its annotations before its tags, without those that Playwright hides', () => {
    const annotations = [{ type: '_internal' }, { type: 'issue_', description: 'BENCH-7' }]
    expect(describeTest({ annotations, tags: ['@bench'] })).toBe('issue_: BENCH-7, @bench')
  })
})
