import { describe, expect, test } from 'vitest'
import type { JestAssertion } from './jest-types'
import { selectLastTry, selectTryOfResults } from './last-try'
import type { CaseEvent } from './running-files'

const titled = (title: string) => ({ ancestorTitles: [], title })
const start = (title: string, startedAt: number): CaseEvent => ({ ...titled(title), startedAt })
const end = (title: string, status: string, invocations = 1): CaseEvent => ({
  ...titled(title),
  status,
  invocations,
})
const result = (title: string, status: string, invocations?: number): JestAssertion => ({
  ...titled(title),
  status,
  failureMessages: [],
  ...(invocations && { invocations }),
})

/** A todo test, one with two attempts, and two of equal titles. */
const createTry = (atMs: number): CaseEvent[] => [
  end('later', 'todo'),
  start('shaky', atMs),
  end('shaky', 'failed'),
  start('shaky', atMs + 1),
  end('shaky', 'passed', 2),
  start('same', atMs + 2),
  end('same', 'failed'),
  start('same', atMs + 3),
  end('same', 'passed'),
]
const RESULTS = [
  result('later', 'todo'),
  result('shaky', 'passed', 2),
  result('same', 'failed', 1),
  result('same', 'passed', 1),
]

describe('the try that gave the results', () => {
  test('is found where the worker exited between tests before', () => {
    expect(selectTryOfResults([10, 20, 30].flatMap(createTry), RESULTS)).toEqual(createTry(30))
    expect(selectTryOfResults(createTry(10), RESULTS)).toEqual(createTry(10))
  })

  test('is found where the worker exited in a test before, todo tests of its titles beside it', () => {
    const lastTry = [end('shaky', 'todo'), ...createTry(20)]
    const events = [end('shaky', 'todo'), end('later', 'todo'), start('shaky', 10), ...lastTry]
    expect(selectTryOfResults(events, [result('shaky', 'todo'), ...RESULTS])).toEqual(lastTry)
  })

  test('is found among concurrent tests of equal titles, each with as many attempts as its result says', () => {
    const lastTry = [
      start('same', 20),
      start('deadly', 21),
      end('same', 'failed'),
      start('same', 22),
      end('deadly', 'passed'),
      end('same', 'passed'),
      start('same', 23),
      end('same', 'passed', 2),
    ]
    const results = [result('same', 'passed', 2), result('deadly', 'passed'), result('same', 'passed')]
    expect(selectTryOfResults([start('same', 10), start('deadly', 11), ...lastTry], results)).toEqual(lastTry)
  })

  test('is all that is known where the results say of more attempts than started, or of none', () => {
    const events = createTry(10)
    expect(selectTryOfResults(events, [result('shaky', 'passed', 3)])).toBe(events)
    expect(selectTryOfResults(events, [result('shaky', 'pending')])).toBe(events)
    expect(selectTryOfResults([], RESULTS)).toEqual([])
  })
})

describe('the last of several tries without results', () => {
  test('is found where the worker exited between tests', () => {
    expect(selectLastTry([10, 20, 30, 40].flatMap(createTry), 4)).toEqual(createTry(40))
  })

  test('is found where the worker exited in a test', () => {
    const lastTry = [start('first', 5), end('first', 'passed'), start('deadly', 6)]
    expect(
      selectLastTry([start('first', 1), end('first', 'failed'), start('deadly', 2), ...lastTry], 2),
    ).toEqual(lastTry)
  })

  test('is found where the tries are not alike, and where its first test has not ended', () => {
    const first = [start('first', 1), end('first', 'failed'), start('first', 2), end('first', 'passed', 2)]
    const second = [start('first', 3), end('first', 'passed'), start('other', 4), end('other', 'passed')]
    expect(selectLastTry([...first, ...second, start('first', 5)], 3)).toEqual([start('first', 5)])
  })

  test('is not guessed where the tries cannot have started their first test equally often', () => {
    const events = [10, 20, 30].flatMap(createTry)
    expect(selectLastTry(events, 4)).toBe(events)
    expect(selectLastTry([], 4)).toEqual([])
  })

  test('is all where there was one, though concurrent tests of equal titles started while one was under way', () => {
    const events = [
      start('same', 1),
      start('slow', 2),
      end('same', 'failed'),
      start('same', 3),
      end('same', 'passed'),
    ]
    expect(selectLastTry(events, 1)).toEqual(events)
  })
})
