import { expect, test } from 'vitest'
import { listLastTry, recallCases } from './recall-cases'
import type { ToldCase } from './running-files'

const titled = (title: string) => ({ ancestorTitles: [], title })

test('a case takes the start of the same titles, others stay under way', () => {
  const { cases, underWay } = recallCases([
    { ...titled('slow'), startedAt: 10 },
    { ...titled('quick'), startedAt: 20 },
    { ...titled('quick'), status: 'passed' },
    { ...titled('later'), status: 'todo' },
  ])
  expect(cases).toEqual([
    { ...titled('quick'), status: 'passed', invocation: 1, startedAtMs: 20, failureMessages: [] },
    { ...titled('later'), status: 'todo', invocation: 1, failureMessages: [] },
  ])
  expect(underWay.map(({ title }) => title)).toEqual(['slow'])
})

test('of a file that is run again, since its worker has ended in mid-test, the last try counts', () => {
  const first = { ...titled('first'), startedAt: 1 }
  const ended = { ...titled('first'), status: 'failed', startedAt: 1 }
  const deadly = { ...titled('deadly'), startedAt: 2 }
  const passed = { ...titled('first'), status: 'passed', startedAt: 5 }
  const { cases, underWay } = recallCases([
    first,
    ended,
    deadly,
    { ...first, startedAt: 5 },
    passed,
    { ...deadly, startedAt: 6 },
  ])
  expect(cases.map(({ status, startedAtMs }) => [status, startedAtMs])).toEqual([['passed', 5]])
  expect(underWay).toEqual([{ ...deadly, startedAt: 6 }])
})

test('titles that are equal only when they are put together are of two tests', () => {
  const start = { ancestorTitles: ['a', 'b'], title: 'c', startedAt: 1 }
  const { underWay } = recallCases([start, { ancestorTitles: ['a b'], title: 'c', status: 'passed' }])
  expect(underWay).toEqual([start])
})

test('a test that is tried again while others of test.concurrent are under way loses nothing', () => {
  const shaky = titled('shaky')
  const slow = { ...titled('slow'), startedAt: 1 }
  const { cases, underWay } = recallCases([
    { ...shaky, startedAt: 1 },
    slow,
    { ...shaky, status: 'failed', invocations: 1, startedAt: 1 },
    { ...shaky, startedAt: 4 },
    { ...shaky, status: 'passed', invocations: 2, startedAt: 4 },
  ])
  expect(cases.map(({ status, startedAtMs }) => [status, startedAtMs])).toEqual([
    ['failed', 1],
    ['passed', 4],
  ])
  expect(underWay).toEqual([slow])
})

/** A test that is to be written, one that is tried twice, and two of equal titles. */
const tellTry = (atMs: number): ToldCase[] => [
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

test('of a file whose worker ends between tests the last try is told apart by how often it was run', () => {
  const told = [10, 20, 30, 40].flatMap(tellTry)
  expect(listLastTry(told, 4)).toEqual(tellTry(40))
})

test('what is not told as often as the file was run is kept as it is', () => {
  const told = [10, 20, 30].flatMap(tellTry)
  expect(listLastTry(told, 4)).toBe(told)
  const others = told.with(told.length - 2, { ...titled('other'), startedAt: 33 })
  expect(listLastTry(others, 3)).toBe(others)
  expect(listLastTry([], 4)).toEqual([])
})
