import { expect, test } from 'vitest'
import { mapSeenTests, mapTests } from './map-tests'
import type { JestCaseResult } from './jest-types'
import type { FileAccount } from './running-files'

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

test('attempts that do not add up to the final results give way to them', () => {
  const [mapped] = mapTests([final], [seen('failed', 1), seen('passed', 2)], 0)
  expect(mapped).toMatchObject({ flaky: false, startedAtMs: 100, attempts: [{ status: 'passed' }] })
})

test('a test that was tried again has the attempts that were told, also where others were tried once', () => {
  const once = { ...final, title: 'once', startAt: 30 }
  const [retried, other] = mapTests(
    [{ ...final, invocations: 2 }, once],
    [seen('failed', 1), { ...once, status: 'passed', startedAt: 31 }, seen('passed', 2)],
    0,
  )
  expect(retried).toMatchObject({ flaky: true, startedAtMs: 10 })
  expect(retried?.attempts.map(({ status, startedAtMs }) => [status, startedAtMs])).toEqual([
    ['failed', 10],
    ['passed', 20],
  ])
  expect(other).toMatchObject({ startedAtMs: 30, attempts: [{ status: 'passed' }] })
})

test('Jest 29 tells the start of a test only while the file runs', () => {
  const [mapped] = mapTests([{ ...final, startAt: undefined }], [seen('passed', 1)], 0)
  expect(mapped).toMatchObject({ startedAtMs: 10, durationMs: 5, attempts: [{ startedAtMs: 10 }] })
})

test('without live attempts each earlier one has the reason that Jest logged for its retry', () => {
  const retryReasons = ['Error: first', 'Error: second']
  const [mapped] = mapTests([{ ...final, invocations: 3, retryReasons }], [], 0)
  expect(
    mapped?.attempts.map(({ status, errors }) => [status, errors.map(({ message }) => message)]),
  ).toEqual([
    ['failed', ['Error: first']],
    ['failed', ['Error: second']],
    ['passed', []],
  ])
})

test('a concurrent test that is seen ahead of a namesake keeps its own attempts', () => {
  const concurrent = { ...seen('passed', 1), startedAt: 10 }
  const other = { ...seen('passed', 1), startedAt: 40 }
  const finals = [
    { ...final, startAt: 40, duration: 1 },
    { ...final, startAt: 10, duration: 30 },
  ]
  expect(mapTests(finals, [concurrent, other], 0)).toMatchObject([
    { startedAtMs: 40, durationMs: 1 },
    { startedAtMs: 10, durationMs: 30 },
  ])
})

test('a test that was not retried, as its beforeAll hook had failed, leaves the second try to its namesake', () => {
  const blocked = { ...seen('failed', 1), startedAt: 10, failureMessages: ['Error: hook'] }
  const retried = { ...seen('failed', 1), startedAt: 10 }
  const finals = [
    { ...final, status: 'failed', startAt: 10, failureMessages: ['Error: hook'] },
    { ...final, status: 'failed', startAt: 20, invocations: 2, failureMessages: ['Error: try 2'] },
  ]
  const tellErrors = (told: JestCaseResult[], results = finals): string[][] =>
    mapTests(results, told, 0).map(({ attempts }) =>
      attempts.flatMap(({ errors }) => errors.map(({ message }) => message ?? '')),
    )
  const expected = [['Error: hook'], ['Error: try 1', 'Error: try 2']]
  expect(tellErrors([blocked, retried, seen('failed', 2)])).toEqual(expected)
  // Jest 29 tells no starts in its results.
  const untimed = finals.map(({ startAt: _startAt, ...result }) => result)
  expect(tellErrors([blocked, retried, seen('failed', 2)], untimed as typeof finals)).toEqual(expected)
})

test.each([
  ['by its verdict', { startAt: 10, duration: 5 }, { startAt: 20, duration: 5 }],
  ['by its duration, where Jest 29 tells no start', { startAt: undefined, duration: 5 }, { duration: 60 }],
])('a concurrent test that failed first keeps its try, told after its namesake’s, %s', (_, once, twice) => {
  const told = [
    { ...seen('passed', 1), startedAt: 10, duration: 5 },
    { ...seen('failed', 1), startedAt: 10, duration: once.startAt === undefined ? 60 : 5 },
    { ...seen('passed', 2), startedAt: 20, duration: twice.duration },
  ]
  const finals = [
    { ...final, startAt: undefined, ...twice, invocations: 2 },
    { ...final, ...once },
  ]
  const mapped = mapTests(finals, told, 0)
  expect(mapped.map(({ flaky, attempts }) => [flaky, ...attempts.map(({ status }) => status)])).toEqual([
    [true, 'failed', 'passed'],
    [false, 'passed'],
  ])
})

test('a test under way whose namesake has passed is another one', () => {
  const account: FileAccount = {
    test: { path: '/project/a.js', context: { config: { id: 'x', rootDir: '/project' } } },
    startedAtMs: 1,
    isShared: false,
    told: [seen('passed', 1), { ancestorTitles: [], title: 'same', startedAt: 50 }],
  }
  expect(mapSeenTests(account)).toMatchObject([
    { outcome: 'passed' },
    { outcome: 'not-run', startedAtMs: 50 },
  ])
})

test('a test that passed, and again when all of its block was tried again, is not flaky', () => {
  const steady = { ...final, title: 'steady', invocations: 2 }
  const shaky = { ...final, title: 'shaky', invocations: 2 }
  const told = [
    { ...seen('passed', 1), title: 'steady' },
    { ...seen('failed', 1), title: 'shaky' },
    { ...seen('passed', 2), title: 'steady' },
    { ...seen('passed', 2), title: 'shaky' },
  ]
  const mapped = mapTests([steady, shaky], told, 0)
  expect(mapped.map(({ flaky, attempts }) => [flaky, ...attempts.map(({ status }) => status)])).toEqual([
    [false, 'passed', 'passed'],
    [true, 'failed', 'passed'],
  ])
})
