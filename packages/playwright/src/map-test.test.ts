import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter'
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

describe('the steps of a test that was tried more than once', () => {
  const step = (title: string, atMs: number, over: object = {}) =>
    ({
      title,
      category: 'test.step',
      startTime: new Date(atMs),
      duration: 5,
      steps: [],
      ...over,
    }) as unknown as TestStep
  const error = { message: 'Error: no' }
  const location = { file: '/project/a.spec.ts', line: 4, column: 3 }
  const broken = (atMs: number): Attempt => ({
    status: 'failed',
    errors: [error],
    steps: [step('pays', atMs, { error, location, steps: [step('clicks', atMs, { error })] })],
  })
  const fine: Attempt = { steps: [step('pays', 3000)] }
  const listSteps = (test: TestCase, context = unseen) =>
    (mapTest(test, context).attempts.at(-1)?.events ?? []).map((event) =>
      event.kind === 'step'
        ? `${event.passed ? '✓' : '✗'} ${[...(event.within ?? []), event.name].join(' › ')}`
        : event.kind,
    )

  it('are on record for each attempt that failed, the last one’s first', () => {
    const test = createTest([broken(1000), broken(2000), broken(3000)], { outcome: () => 'unexpected' })
    expect(listSteps(test)).toEqual([
      '✗ pays',
      '✗ pays › clicks',
      '✗ Attempt 1 of 3',
      '✗ Attempt 1 of 3 › pays',
      '✗ Attempt 1 of 3 › pays › clicks',
      '✗ Attempt 2 of 3',
      '✗ Attempt 2 of 3 › pays',
      '✗ Attempt 2 of 3 › pays › clicks',
    ])
  })

  it('have their places and times, and leave why to their attempt', () => {
    const { attempts } = mapTest(createTest([broken(1000), fine], { outcome: () => 'flaky' }), unseen)
    const [own, attempt, pays] = attempts[1]?.events ?? []
    expect(own).toMatchObject({ name: 'pays', passed: true, order: 0 })
    expect(attempt).toEqual({
      kind: 'step',
      name: 'Attempt 1 of 2',
      passed: false,
      atMs: 1000,
      durationMs: 100,
      order: 1,
      isDetail: true,
      attempt: 1,
    })
    expect(pays).toEqual({
      kind: 'step',
      name: 'pays',
      within: ['Attempt 1 of 2'],
      passed: false,
      atMs: 1000,
      durationMs: 5,
      location: { ...location, file: 'a.spec.ts' },
      order: 2,
      isDetail: true,
      attempt: 1,
    })
    expect(attempts[0]).toMatchObject({ errors: [error], events: [] })
  })

  it('have our own step among them, which stays in the log of its attempt', () => {
    const own = { kind: 'step', name: 'pays', passed: false, atMs: 1000, durationMs: 1, order: 0 } as const
    const body = Buffer.from(JSON.stringify([own, log]))
    const first = { ...broken(1000), attachments: [{ ...batch, body }] }
    const test = createTest([first, broken(2000)], { outcome: () => 'unexpected' })
    expect(listSteps(test).slice(2)).toEqual([
      '✗ Attempt 1 of 2',
      '✗ Attempt 1 of 2 › pays',
      '✗ Attempt 1 of 2 › pays › clicks',
    ])
    const { attempts } = mapTest(test, unseen)
    expect(attempts[0]?.events).toMatchObject([{ name: 'pays', error }, { message: log.message }])
    expect(attempts[1]?.events?.every((event) => !('error' in event))).toBe(true)
  })

  it('are omitted for an attempt with the expected outcome', () => {
    const first = { ...fine, steps: [step('pays', 1000)] }
    const test = createTest([first, broken(2000)], { outcome: () => 'unexpected' })
    expect(listSteps(test)).toEqual(['✗ pays', '✗ pays › clicks'])
    const retriedWhole = createTest([{ ...first }, fine], { outcome: () => 'expected' })
    expect(listSteps(retriedWhole)).toEqual([])
  })

  it('are those of the last attempt alone where a depth is asked for', () => {
    const test = createTest([broken(1000), broken(2000)], { outcome: () => 'unexpected' })
    expect(listSteps(test, { ...unseen, stepDepth: 1 })).toEqual(['✗ pays'])
    expect(listSteps(test, { ...unseen, stepDepth: 0 })).toEqual([])
  })

  it('say in the log of their attempt how many were left out', () => {
    const many = Array.from({ length: 203 }, (_, index) => step(`s${index}`, 1000))
    const test = createTest([{ ...broken(1000), steps: many }, broken(2000)], { outcome: () => 'unexpected' })
    const { attempts } = mapTest(test, unseen)
    expect(attempts[0]?.events).toMatchObject([
      { kind: 'log', message: expect.stringMatching(/^3 more/) as string },
    ])
    expect(attempts[1]?.events).toHaveLength(2 + 1 + 200)
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

  it.each<[string, boolean, Partial<TestStep>]>([
    ['a failed hook', true, { title: 'After Hooks', error: { message: 'Error: no' } }],
    [
      'its own error, which Playwright 1.40 shows as a hook',
      false,
      { title: 'Error: no', error: { message: 'Error: no' } },
    ],
    ['its own error without a message', false, { title: 'error', error: { value: "'text'" } }],
  ])('that failed by %s fails outside of its test: %s', (_, failsOutside, step) => {
    const steps = [
      { category: 'hook', duration: 1, startTime: new Date(1000), steps: [], ...step },
    ] as unknown as TestStep[]
    const test = createTest([{ status: 'failed', errors: [{ message: 'Error: no' }], steps }], {
      outcome: () => 'unexpected',
    })
    expect(mapTest(test, unseen).attempts[0]?.failsOutside ?? false).toBe(failsOutside)
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

  it('is omitted when there is nothing to report', () => {
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

  it('shows its tags, but not those that its title has already', () => {
    expect(describeTest({ tags: ['@fast', '@bench'] })).toBe('@bench')
    expect(describeTest({ tags: ['@fast'] })).toBeUndefined()
  })

  it('shows its annotations before its tags, without those that Playwright hides', () => {
    const annotations = [{ type: '_internal' }, { type: 'issue_', description: 'BENCH-7' }]
    expect(describeTest({ annotations, tags: ['@bench'] })).toBe('issue_: BENCH-7, @bench')
  })
})
