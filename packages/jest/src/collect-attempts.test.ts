import { expect, test } from 'vitest'
import { collectAttempts } from './collect-attempts'

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

test('a todo test takes no start of equal titles', () => {
  const start = { ...titled('same'), startedAt: 1 }
  expect(collectAttempts([start, { ...titled('same'), status: 'todo' }]).unfinished).toEqual([start])
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

test('concurrent tests of equal titles keep their attempts', () => {
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
