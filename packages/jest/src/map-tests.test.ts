import { expect, test } from 'vitest'
import { mapSeenTests, mapTests } from './map-tests'
import type { JestCaseResult } from './jest-types'
import type { RunningFile } from './running-files'

const FILE = { file: 'a.test.js', rootDir: '/project', startedAtMs: 0 }

const seen = (status: string, invocations: number): JestCaseResult => ({
  ancestorTitles: [],
  title: 'same',
  status,
  invocations,
  startedAt: 10 * invocations,
  duration: 5,
  failureMessages: status === 'failed' ? [`Error: try ${invocations}`] : [],
})
const final = { ancestorTitles: [], title: 'same', status: 'passed', duration: 5, startAt: 100 }

test('attempts that contradict the final results are ignored', () => {
  const [mapped] = mapTests([final], [seen('failed', 1), seen('passed', 2)], FILE)
  expect(mapped).toMatchObject({ flaky: false, startedAtMs: 100, attempts: [{ status: 'passed' }] })
})

test('a retried test has the attempts that were reported while the file ran', () => {
  const once = { ...final, title: 'once', startAt: 30 }
  const [retried, other] = mapTests(
    [{ ...final, invocations: 2, startAt: 20 }, once],
    [seen('failed', 1), { ...once, status: 'passed', startedAt: 31 }, seen('passed', 2)],
    FILE,
  )
  expect(retried).toMatchObject({ flaky: true, startedAtMs: 10 })
  expect(retried?.attempts.map(({ status, startedAtMs }) => [status, startedAtMs])).toEqual([
    ['failed', 10],
    ['passed', 20],
  ])
  expect(other).toMatchObject({ startedAtMs: 30, attempts: [{ status: 'passed' }] })
})

test('Jest 29 reports the start of a test only while the file runs', () => {
  const [mapped] = mapTests([{ ...final, startAt: undefined }], [seen('passed', 1)], FILE)
  expect(mapped).toMatchObject({ startedAtMs: 10, durationMs: 5, attempts: [{ startedAtMs: 10 }] })
})

test('an attempt that was not reported has the reason that Jest logged for its retry', () => {
  const retryReasons = ['Error: first', 'Error: second']
  const [mapped] = mapTests([{ ...final, invocations: 3, retryReasons }], [], FILE)
  expect(
    mapped?.attempts.map(({ status, errors }) => [status, errors.map(({ message }) => message)]),
  ).toEqual([
    ['failed', ['Error: first']],
    ['failed', ['Error: second']],
    ['passed', []],
  ])
})

test('a concurrent test that ends before an earlier namesake keeps its own attempts', () => {
  const concurrent = { ...seen('passed', 1), startedAt: 10 }
  const other = { ...seen('passed', 1), startedAt: 40 }
  const finals = [
    { ...final, startAt: 40, duration: 1 },
    { ...final, startAt: 10, duration: 30 },
  ]
  expect(mapTests(finals, [concurrent, other], FILE)).toMatchObject([
    { startedAtMs: 40, durationMs: 1 },
    { startedAtMs: 10, durationMs: 30 },
  ])
})

test('a test that was not retried because its beforeAll hook failed leaves the second attempt to its namesake', () => {
  const blocked = { ...seen('failed', 1), startedAt: 10, failureMessages: ['Error: hook'] }
  const retried = { ...seen('failed', 1), startedAt: 10 }
  const finals = [
    { ...final, status: 'failed', startAt: 10, failureMessages: ['Error: hook'] },
    { ...final, status: 'failed', startAt: 20, invocations: 2, failureMessages: ['Error: try 2'] },
  ]
  const listErrors = (events: JestCaseResult[], results = finals): string[][] =>
    mapTests(results, events, FILE).map(({ attempts }) =>
      attempts.flatMap(({ errors }) => errors.map(({ message }) => message ?? '')),
    )
  const expected = [['Error: hook'], ['Error: try 1', 'Error: try 2']]
  expect(listErrors([blocked, retried, seen('failed', 2)])).toEqual(expected)
  // Jest 29 has no starts in its results.
  const untimed = finals.map(({ startAt: _startAt, ...result }) => result)
  expect(listErrors([blocked, retried, seen('failed', 2)], untimed as typeof finals)).toEqual(expected)
})

test.each([
  ['by its verdict', { startAt: 10, duration: 5 }, { startAt: 20, duration: 5 }],
  ['by its duration, without a start in Jest 29', { startAt: undefined, duration: 5 }, { duration: 60 }],
])('a concurrent test keeps its failed attempt, reported after its namesake’s, %s', (_, once, twice) => {
  const events = [
    { ...seen('passed', 1), startedAt: 10, duration: 5 },
    { ...seen('failed', 1), startedAt: 10, duration: once.startAt === undefined ? 60 : 5 },
    { ...seen('passed', 2), startedAt: 20, duration: twice.duration },
  ]
  const finals = [
    { ...final, startAt: undefined, ...twice, invocations: 2 },
    { ...final, ...once },
  ]
  const mapped = mapTests(finals, events, FILE)
  expect(mapped.map(({ flaky, attempts }) => [flaky, ...attempts.map(({ status }) => status)])).toEqual([
    [true, 'failed', 'passed'],
    [false, 'passed'],
  ])
})

test('a test under way is another one than its namesake that passed', () => {
  const running: RunningFile = {
    test: { path: '/project/a.js', context: { config: { id: 'x', rootDir: '/project' } } },
    startedAtMs: 1,
    isShared: false,
    caseEvents: [seen('passed', 1), { ancestorTitles: [], title: 'same', startedAt: 50 }],
  }
  expect(mapSeenTests(running, '/project')).toMatchObject([
    { outcome: 'passed' },
    { outcome: 'not-run', startedAtMs: 50 },
  ])
})

test('a test that passed before and after its block was retried is not flaky', () => {
  const steady = { ...final, title: 'steady', invocations: 2 }
  const shaky = { ...final, title: 'shaky', invocations: 2 }
  const events = [
    { ...seen('passed', 1), title: 'steady' },
    { ...seen('failed', 1), title: 'shaky' },
    { ...seen('passed', 2), title: 'steady' },
    { ...seen('passed', 2), title: 'shaky' },
  ]
  const mapped = mapTests([steady, shaky], events, FILE)
  expect(mapped.map(({ flaky, attempts }) => [flaky, ...attempts.map(({ status }) => status)])).toEqual([
    [false, 'passed', 'passed'],
    [true, 'failed', 'passed'],
  ])
})

test('each attempt keeps the parts of its own errors', () => {
  const failed = (invocation: number): JestCaseResult => ({
    ...seen('failed', invocation),
    failureMessages: [`Error: try ${invocation}\n    at /project/a.test.js:${invocation}:1`, 'Error: after'],
    details: [{ expected: '3', actual: String(invocation) }],
  })
  const result = { ...failed(2), startAt: 20, invocations: 2 }
  const [mapped] = mapTests([result], [failed(1), failed(2)], FILE)
  expect(mapped?.attempts.map(({ errors }) => errors)).toMatchObject(
    [1, 2].map((line) => [
      { expected: '3', actual: String(line), location: { file: 'a.test.js', line, column: 1 } },
      { message: 'Error: after' },
    ]),
  )
})

test('no reason for a retry is lost where attempts had several errors', () => {
  const retryReasons = ['Error: body', 'Error: hook', 'Error: body again', 'Error: hook again']
  const [mapped] = mapTests([{ ...final, invocations: 3, retryReasons }], [], FILE)
  const errors = mapped?.attempts.flatMap((attempt) => attempt.errors)
  expect(errors?.map(({ message }) => message)).toEqual(retryReasons)
})

test('a test has the place that Jest reports, whether it ran or not', () => {
  const location = { line: 3, column: 1 }
  const results = [{ ...final, location }, { ...final, status: 'pending', location }, final]
  expect(mapTests(results, [], FILE).map((each) => each.location)).toEqual([
    { file: 'a.test.js', ...location },
    { file: 'a.test.js', ...location },
    undefined,
  ])
})

test('the time-out of a hook is no error of the test, also where no frame names the hook', () => {
  const failsOutside = (message: string) => {
    const failureMessages = [`thrown: "Exceeded timeout of 100 ms for a ${message}\n    at a.test.js:3:25`]
    const [mapped] = mapTests([{ ...final, status: 'failed', failureMessages }], [], FILE)
    return mapped?.attempts[0]?.failsOutside
  }
  expect(failsOutside('hook.')).toBe(true)
  expect(failsOutside('test.')).toBeUndefined()
})
