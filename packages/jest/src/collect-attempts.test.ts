import { expect, test } from 'vitest'
import { collectAttempts, selectLastTry } from './collect-attempts'
import type { CaseEvent } from './running-files'

const titled = (title: string) => ({ ancestorTitles: [], title })

test('an attempt takes the start of the same titles; other starts are unfinished', () => {
  const { finished, unfinished } = collectAttempts([
    { ...titled('slow'), startedAt: 10 },
    { ...titled('quick'), startedAt: 20 },
    { ...titled('quick'), status: 'passed' },
    { ...titled('later'), status: 'todo' },
  ])
  expect(finished).toEqual([
    { ...titled('quick'), status: 'passed', invocation: 1, startedAtMs: 20, failureMessages: [] },
    { ...titled('later'), status: 'todo', invocation: 1, failureMessages: [] },
  ])
  expect(unfinished.map(({ title }) => title)).toEqual(['slow'])
})

test('when a file is tried again because its worker exited in a test, the last try counts', () => {
  const first = { ...titled('first'), startedAt: 1 }
  const ended = { ...titled('first'), status: 'failed', startedAt: 1 }
  const deadly = { ...titled('deadly'), startedAt: 2 }
  const passed = { ...titled('first'), status: 'passed', startedAt: 5 }
  const { finished, unfinished } = collectAttempts([
    first,
    ended,
    deadly,
    { ...first, startedAt: 5 },
    passed,
    { ...deadly, startedAt: 6 },
  ])
  expect(finished.map(({ status, startedAtMs }) => [status, startedAtMs])).toEqual([['passed', 5]])
  expect(unfinished).toEqual([{ ...deadly, startedAt: 6 }])
})

test.each(['first', 'last'])('a todo test that comes %s ends no start of a test of equal titles', (place) => {
  const todo = { ...titled('deadly'), status: 'todo' }
  const createInterruptedTry = (atMs: number): CaseEvent[] => {
    const events = [
      { ...titled('first'), startedAt: atMs },
      { ...titled('first'), status: 'passed' },
    ]
    const deadly = { ...titled('deadly'), startedAt: atMs + 1 }
    return place === 'first' ? [todo, ...events, deadly] : [...events, todo, deadly]
  }
  const { finished, unfinished } = collectAttempts([...createInterruptedTry(1), ...createInterruptedTry(5)])
  const passed = { ...titled('first'), status: 'passed', startedAtMs: 5 }
  expect(finished).toMatchObject(place === 'first' ? [todo, passed] : [passed, todo])
  expect(unfinished).toEqual([{ ...titled('deadly'), startedAt: 6 }])
})

test('titles that are equal only when joined belong to two tests', () => {
  const start = { ancestorTitles: ['a', 'b'], title: 'c', startedAt: 1 }
  const { unfinished } = collectAttempts([start, { ancestorTitles: ['a b'], title: 'c', status: 'passed' }])
  expect(unfinished).toEqual([start])
})

test('a test that is retried while other concurrent tests are under way keeps its attempts', () => {
  const shaky = titled('shaky')
  const slow = { ...titled('slow'), startedAt: 1 }
  const { finished, unfinished } = collectAttempts([
    { ...shaky, startedAt: 1 },
    slow,
    { ...shaky, status: 'failed', invocations: 1, startedAt: 1 },
    { ...shaky, startedAt: 4 },
    { ...shaky, status: 'passed', invocations: 2, startedAt: 4 },
  ])
  expect(finished.map(({ status, startedAtMs }) => [status, startedAtMs])).toEqual([
    ['failed', 1],
    ['passed', 4],
  ])
  expect(unfinished).toEqual([slow])
})

test('a concurrent test that starts beside a test of equal titles is no new try of the file', () => {
  const same = titled('same')
  const { finished, unfinished } = collectAttempts([
    { ...same, startedAt: 1 },
    { ...same, status: 'failed', invocations: 1, startedAt: 1 },
    { ...same, startedAt: 2 },
    { ...same, startedAt: 3 },
    { ...same, status: 'passed', invocations: 1, startedAt: 3 },
    { ...same, status: 'failed', invocations: 1, startedAt: 2 },
    { ...same, startedAt: 4 },
    { ...same, status: 'passed', invocations: 2, startedAt: 4 },
  ])
  expect(finished.map(({ status, startedAtMs }) => [status, startedAtMs])).toEqual([
    ['failed', 1],
    ['passed', 3],
    ['failed', 2],
    ['passed', 4],
  ])
  expect(unfinished).toEqual([])
})

/** A todo test, one with two attempts, and two of equal titles. */
const createTry = (atMs: number): CaseEvent[] => [
  { ...titled('later'), status: 'todo' },
  { ...titled('shaky'), startedAt: atMs },
  { ...titled('shaky'), status: 'failed', invocations: 1 },
  { ...titled('shaky'), startedAt: atMs + 1 },
  { ...titled('shaky'), status: 'passed', invocations: 2 },
  { ...titled('same'), startedAt: atMs + 2 },
  { ...titled('same'), status: 'failed', invocations: 1 },
  { ...titled('same'), startedAt: atMs + 3 },
  { ...titled('same'), status: 'passed', invocations: 1 },
]

test('the last try of a file whose worker exits between tests is found by the number of tries', () => {
  const events = [10, 20, 30, 40].flatMap(createTry)
  expect(selectLastTry(events, 4)).toEqual(createTry(40))
})

test('events that do not repeat in every try are kept as they are', () => {
  const events = [10, 20, 30].flatMap(createTry)
  expect(selectLastTry(events, 4)).toBe(events)
  const others = events.with(events.length - 2, { ...titled('other'), startedAt: 33 })
  expect(selectLastTry(others, 3)).toBe(others)
  expect(selectLastTry([], 4)).toEqual([])
})

test('a file is tried again though the first test of its last try has not ended, and another was retried', () => {
  const first = titled('first')
  const { finished, unfinished } = collectAttempts([
    { ...first, startedAt: 1 },
    { ...first, status: 'passed', startedAt: 1 },
    { ...titled('deadly'), startedAt: 2 },
    { ...first, startedAt: 5 },
    { ...titled('other'), status: 'passed', invocations: 2 },
  ])
  expect(finished.map(({ title }) => title)).toEqual(['other'])
  expect(unfinished).toEqual([{ ...first, startedAt: 5 }])
})
