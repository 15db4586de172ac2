import type { Said } from '@runledger/core'
import { expect, test } from 'vitest'
import { createAttempt, createSuite, createTest } from '../../../test/support/suites'
import type { NamedKey, TestKey } from './find-test'
import { placeSaid } from './place-said'

const log = (message: string): Said => ({ kind: 'log', message, order: 1, atMs: 1 })
const key = (title: string, over: Partial<TestKey> = {}): TestKey => ({
  titles: ['a', title],
  occurrence: 0,
  attempt: 1,
  ...over,
})
const place = (suite: ReturnType<typeof createSuite>, ...placed: [TestKey | NamedKey | null, string][]) =>
  placeSaid(
    suite,
    placed.map(([where, message]) => ({ test: where, said: log(message) })),
    { console: undefined, rootDir: '/' },
  )
const listSaid = (suite: ReturnType<typeof createSuite>) =>
  suite.tests.map(({ attempts }) =>
    attempts.map(({ said = [] }) => said.map((each) => 'message' in each && each.message)),
  )

test('gives each attempt of each of equal tests its own, and the suite the rest', () => {
  const twice = createTest(['a', 'same'], {
    attempts: [createAttempt({ status: 'failed' }), createAttempt()],
  })
  const suite = createSuite({ tests: [createTest(['a', 'same']), twice] })
  place(
    suite,
    [key('same', { occurrence: 1, attempt: 2 }), 'second try'],
    [key('same'), 'first test'],
    [key('same', { occurrence: 1 }), 'first try'],
    [null, 'beforeAll'],
  )
  expect(listSaid(suite)).toEqual([[['first test']], [['first try'], ['second try']]])
  expect(suite.said).toEqual([log('beforeAll')])
})

test('tests whose joined titles are equal stay apart, and a bare name finds its test', () => {
  const suite = createSuite({ tests: [createTest(['a b', 'c']), createTest(['a', 'b c'])] })
  place(suite, [key('b c'), 'second'], [{ fullName: 'a b c' }, 'named'])
  expect(listSaid(suite)).toEqual([[['named']], [['second']]])
})

test('a test that was under way at a crash keeps what it said, even where Jest tells nothing of it', () => {
  const cut = createTest(['a', 'dies'], { outcome: 'not-run', attempts: [] })
  const suite = createSuite({ tests: [cut] })
  place(suite, [key('dies'), 'last words'], [key('unknown'), 'other words'])
  expect(listSaid(suite)).toEqual([[['last words']], [['other words']]])
  expect(suite.tests[1]).toMatchObject({ titles: ['a', 'unknown'], outcome: 'not-run' })
})

test('an attached file belongs to its attempt', () => {
  const suite = createSuite({ tests: [createTest(['a', 'x'])] })
  const said = {
    kind: 'file',
    name: 'shot',
    path: '/channel/1.png',
    contentType: 'image/png',
    order: 1,
    atMs: 1,
  } as const
  placeSaid(suite, [{ test: key('x'), said }], { console: undefined, rootDir: '/' })
  expect(suite.tests[0]?.attempts[0]?.attachments).toEqual([
    { name: 'shot', path: '/channel/1.png', contentType: 'image/png' },
  ])
})

test('puts the console under the tests that called it, and leaves the file its own calls', () => {
  const suite = createSuite({ tests: [createTest(['a', 'x']), createTest(['a', 'y'])] })
  const calls = ['at the head', 'by y', 'by x'].map((message) => ({ message, type: 'warn', origin: '' }))
  suite.output = calls.map(({ message }) => ({ stream: 'stderr', text: message }))
  const output = (index: number) => ({ kind: 'output', index, atMs: index }) as const
  placeSaid(
    suite,
    [
      { test: null, said: output(0) },
      { test: key('y'), said: output(1) },
      { test: key('x'), said: output(2) },
    ],
    { console: calls, rootDir: '/' },
  )
  expect(suite.output).toMatchObject([{ stream: 'stderr', text: 'at the head' }])
  expect(suite.tests.map(({ attempts }) => attempts[0]?.output)).toMatchObject([
    [{ stream: 'stderr', text: 'by x', atMs: 2 }],
    [{ stream: 'stderr', text: 'by y', atMs: 1 }],
  ])
})
