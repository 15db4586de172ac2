import { expect, test } from 'vitest'
import type { TestAttempt, TestCase } from './framework-types'
import { mapAttempts, mapTriesBeforeSkip } from './map-attempts'
import { LiveNotes } from './module-notes'

const attempt = (state: TestAttempt['state'], errors: unknown[]): TestAttempt => ({
  state,
  errors,
  duration: 2,
  startTime: 1_000,
  retryIndex: 0,
  repeatIndex: 0,
})
const told = (...attempts: TestAttempt[]) => ({ attempts: () => attempts }) as unknown as TestCase

test('a test that failed and then skipped itself keeps the error of its first try', () => {
  const error = { name: 'Error', message: 'try no. 1' }
  const tries = mapTriesBeforeSkip(told(attempt('failed', [error]), attempt('skipped', [])))
  expect(tries.map(({ status, errors }) => [status, errors.map(({ message }) => message)])).toEqual([
    ['failed', ['Error: try no. 1']],
    ['skipped', []],
  ])
})

test('a test that skipped itself at once has no tries', () => {
  expect(mapTriesBeforeSkip(told(attempt('skipped', [])))).toEqual([])
  expect(mapTriesBeforeSkip({} as TestCase)).toEqual([])
})

const deduced = (state: string, retryCount: number, errors: string[]) =>
  ({
    id: 'id',
    options: {},
    project: { config: { root: '/project' } },
    meta: () => ({}),
    result: () => ({ state, errors: errors.map((message) => ({ message })) }),
    diagnostic: () => ({ retryCount, startTime: 1_000, duration: 2 }),
  }) as unknown as TestCase

test('errors beyond the number of tries go to the last one that failed, not to the one that passed', () => {
  const notes = new LiveNotes(() => 0)
  const errorsOf = (testCase: TestCase) =>
    mapAttempts(testCase, notes).map(({ errors }) => errors.map(({ message }) => message))
  expect(errorsOf(deduced('passed', 2, ['a', 'b', 'c']))).toEqual([['a'], ['b', 'c'], []])
  expect(errorsOf(deduced('passed', 0, ['soft']))).toEqual([['soft']])
})

test('output goes to the try that had begun when it was written, else to the last, marked', () => {
  const notes = new LiveNotes(() => 0)
  const write = (content: string, time: number) =>
    notes.addOutput({ type: 'stdout', content, time, size: 1, taskId: 'id' })
  for (const [content, time] of [
    ['before', 999],
    ['first', 1_000],
    ['still first', 1_009],
    ['second', 1_010],
  ] as const)
    write(content, time)
  const tries = [attempt('failed', []), { ...attempt('passed', []), startTime: 1_010 }]
  const testCase = Object.assign(deduced('passed', 1, []), { attempts: () => tries })
  expect(
    mapAttempts(testCase, notes).map(({ output }) => output.map(({ text, origin }) => [text, origin])),
  ).toEqual([
    [
      ['first', undefined],
      ['still first', undefined],
    ],
    [
      ['before', 'attempt not known'],
      ['second', undefined],
    ],
  ])
})
