import type { TestCase, TestResult } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import type { NoteReader } from './attempt-notes'
import { TEST_API_MEDIA_TYPE } from './channel'
import { describeFile, mapSuite } from './map-suite'
import { mapTest, wasInterrupted } from './map-test'

type Status = TestResult['status']

const START_MS = Date.UTC(2026, 10, 20, 9)
const unseen: NoteReader = () => undefined
const running: NoteReader = () => ({ startedAtMs: 0, isOver: false, output: [], keptPaths: new Map() })

function createTest(statuses: Status[], over: Partial<TestCase> = {}, outcome = 'skipped'): TestCase {
  const results = statuses.map((status) => ({
    status,
    workerIndex: 0,
    startTime: new Date(START_MS),
    duration: 7,
    errors: [],
    attachments: [],
  }))
  const test = {
    results,
    expectedStatus: 'passed',
    annotations: [],
    titlePath: () => ['', 'project', 'a.spec.ts', 'describe', 'title'],
    outcome: () => outcome,
    ...over,
  }
  return test as unknown as TestCase
}

describe('wasInterrupted', () => {
  it('is true for a test that should have started and did not', () => {
    expect(wasInterrupted(createTest([]), unseen)).toBe(true)
    expect(wasInterrupted(createTest([], { expectedStatus: 'skipped' }), unseen)).toBe(false)
  })

  it('looks only at the last attempt', () => {
    expect(wasInterrupted(createTest(['failed', 'interrupted']), unseen)).toBe(true)
    expect(wasInterrupted(createTest(['interrupted', 'passed']), unseen)).toBe(false)
  })

  it('is true for an attempt whose end was never reported', () => {
    expect(wasInterrupted(createTest(['skipped']), running)).toBe(true)
  })
})

describe('mapTest', () => {
  it('takes Playwright’s times for an attempt that was never reported', () => {
    expect(
      mapTest(createTest(['passed'], {}, 'expected'), { readNote: unseen, rootDir: '/project' }),
    ).toStrictEqual({
      titles: ['describe', 'title'],
      outcome: 'passed',
      flaky: false,
      startedAtMs: START_MS,
      durationMs: 7,
      attempts: [
        {
          status: 'passed',
          startedAtMs: START_MS,
          durationMs: 7,
          worker: 0,
          errors: [],
          attachments: [],
          output: [],
        },
      ],
    })
  })

  it('has no negative duration', () => {
    const test = createTest(['interrupted'])
    Object.assign(test.results[0] as TestResult, { duration: -1 })
    expect(mapTest(test, { readNote: unseen, rootDir: '/project' }).attempts[0]?.durationMs).toBe(0)
  })

  it('lists each remark once', () => {
    const annotations = [
      { type: 'fail' },
      { type: 'skip', description: 'why' },
      { type: 'fail' },
      { type: 'slow' },
    ]
    expect(mapTest(createTest([], { annotations }), { readNote: unseen, rootDir: '/project' }).note).toBe(
      'fail, skip: why',
    )
  })

  it('does not call a skipped test flaky', () => {
    const test = createTest(['failed', 'skipped'], { expectedStatus: 'skipped' }, 'flaky')
    expect(mapTest(test, { readNote: unseen, rootDir: '/project' })).toMatchObject({
      outcome: 'failed',
      flaky: false,
    })
  })
})

const fileSuite = (...tests: TestCase[]) => ({ project: '', file: 'a.spec.ts', tests })
const log = (message: string) => ({ kind: 'log', message, order: 0, atMs: START_MS })

/** Has each attempt of a test bring what a beforeAll hook logged before it. */
function logInHook(test: TestCase, ...messages: string[]): TestCase {
  for (const [index, message] of messages.entries()) {
    const body = Buffer.from(JSON.stringify([log(message)]))
    const attachments = [{ name: 'runledger', contentType: TEST_API_MEDIA_TYPE, body }]
    const steps = [{ category: 'hook', title: 'beforeAll hook', attachments, steps: [] }]
    Object.assign(test.results[index] as TestResult, { attachments, steps })
  }
  return test
}

describe('mapSuite', () => {
  const context = { readNote: unseen, rootDir: '/project', output: [] }
  const ran = () => createTest(['passed'], {}, 'expected')

  it('is not interrupted when the execution passed or has not ended', () => {
    const tests = [ran(), createTest([])]
    expect(mapSuite(fileSuite(...tests), context)).toMatchObject({ outcome: 'passed', problems: [] })
    const end = { status: 'passed' as const, announcements: [] }
    expect(mapSuite(fileSuite(...tests), { ...context, end })).toMatchObject({
      outcome: 'passed',
      problems: [],
    })
  })

  it('has what its hooks recorded before the last attempt of each test', () => {
    const retried = createTest(['failed', 'failed', 'passed'], {}, 'flaky')
    const suite = mapSuite(
      fileSuite(logInHook(retried, 'first', 'second', 'third'), logInHook(ran(), 'only')),
      { ...context, stepDepth: 0 },
    )
    expect(suite?.events).toEqual([log('third'), log('only')])
    expect(suite?.tests.flatMap(({ attempts }) => attempts.flatMap(({ events = [] }) => events))).toEqual([])
  })

  it('is not interrupted when all of its tests had run before the execution was stopped', () => {
    const end = { status: 'failed' as const, announcements: [] }
    expect(mapSuite(fileSuite(ran()), { ...context, end })).toMatchObject({ outcome: 'passed', problems: [] })
    expect(mapSuite(fileSuite(ran(), createTest([])), { ...context, end })).toMatchObject({
      outcome: 'failed',
      problems: [{ name: 'Interrupted' }],
    })
  })
})

describe('describeFile', () => {
  type EndStatus = 'passed' | 'failed' | 'timedout' | 'interrupted'
  const describeEnd = (status?: EndStatus, ...others: TestCase[]) =>
    describeFile(fileSuite(createTest(['passed'], {}, 'expected'), ...others), {
      nowMs: START_MS,
      end: status && { status, announcements: [] },
      readNote: unseen,
    })

  it('is the whole file, at the time of the report', () => {
    expect(describeEnd()).toEqual({
      project: '',
      file: 'a.spec.ts',
      startedAtMs: START_MS,
      durationMs: 0,
      outcome: 'passed',
    })
  })

  it('fails with one of its tests', () => {
    const failed = createTest(['failed'], {}, 'unexpected')
    expect(describeEnd(undefined, failed).outcome).toBe('failed')
    expect(describeEnd('failed', failed).outcome).toBe('failed')
  })

  it.each(['failed', 'timedout', 'interrupted'] as const)(
    'of an execution that ended as %s has failed when it was cut short, not because of another file',
    (status) => {
      expect(describeEnd(status, createTest([])).outcome).toBe('failed')
      expect(describeEnd(status).outcome).toBe('passed')
    },
  )

  it('is not cut short while the execution runs, nor when Playwright passes it', () => {
    expect(describeEnd(undefined, createTest([])).outcome).toBe('passed')
    expect(describeEnd('passed', createTest([])).outcome).toBe('passed')
  })
})
