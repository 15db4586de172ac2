import { expect, test } from 'vitest'
import { recallCases } from './recall-cases'

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
