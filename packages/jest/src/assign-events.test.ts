import type { TestApiEvent } from '@runledger/core'
import { expect, test } from 'vitest'
import { createAttempt, createSuite, createTest } from '../../../test/support/suites'
import type { NamedKey, TestKey } from './find-test'
import { assignEvents } from './assign-events'

const log = (message: string): TestApiEvent => ({ kind: 'log', message, order: 1, atMs: 1 })
const key = (title: string, over: Partial<TestKey> = {}): TestKey => ({
  titles: ['a', title],
  occurrence: 0,
  attempt: 1,
  ...over,
})
const assign = (suite: ReturnType<typeof createSuite>, ...events: [TestKey | NamedKey | null, string][]) =>
  assignEvents(
    suite,
    events.map(([testKey, message]) => ({ test: testKey, event: log(message) })),
    { console: undefined, rootDir: '/' },
  )
const listMessages = (suite: ReturnType<typeof createSuite>) =>
  suite.tests.map(({ attempts }) =>
    attempts.map(({ events = [] }) => events.map((each) => 'message' in each && each.message)),
  )

test('assigns events to each attempt of equally named tests, and the rest to the suite', () => {
  const twice = createTest(['a', 'same'], {
    attempts: [createAttempt({ status: 'failed' }), createAttempt()],
  })
  const suite = createSuite({ tests: [createTest(['a', 'same']), twice] })
  assign(
    suite,
    [key('same', { occurrence: 1, attempt: 2 }), 'second try'],
    [key('same'), 'first test'],
    [key('same', { occurrence: 1 }), 'first try'],
    [null, 'beforeAll'],
  )
  expect(listMessages(suite)).toEqual([[['first test']], [['first try'], ['second try']]])
  expect(suite.events).toEqual([log('beforeAll')])
})

test('tests whose joined titles are equal stay separate, and a full name finds its test', () => {
  const suite = createSuite({ tests: [createTest(['a b', 'c']), createTest(['a', 'b c'])] })
  assign(suite, [key('b c'), 'second'], [{ fullName: 'a b c' }, 'named'])
  expect(listMessages(suite)).toEqual([[['named']], [['second']]])
})

test('a test that was under way at a crash keeps its events, even when Jest did not report it', () => {
  const cut = createTest(['a', 'dies'], { outcome: 'not-run', attempts: [] })
  const suite = createSuite({ tests: [cut] })
  assign(suite, [key('dies'), 'last words'], [key('unknown'), 'other words'])
  expect(listMessages(suite)).toEqual([[['last words']], [['other words']]])
  expect(suite.tests[1]).toMatchObject({ titles: ['a', 'unknown'], outcome: 'not-run' })
})

test('an attached file belongs to its attempt', () => {
  const suite = createSuite({ tests: [createTest(['a', 'x'])] })
  const event = {
    kind: 'file',
    name: 'shot',
    path: '/channel/1.png',
    contentType: 'image/png',
    order: 1,
    atMs: 1,
  } as const
  assignEvents(suite, [{ test: key('x'), event }], { console: undefined, rootDir: '/' })
  expect(suite.tests[0]?.attempts[0]?.attachments).toEqual([
    { name: 'shot', path: '/channel/1.png', contentType: 'image/png' },
  ])
})

test('moves console calls to the tests that made them, and leaves the file its own', () => {
  const suite = createSuite({ tests: [createTest(['a', 'x']), createTest(['a', 'y'])] })
  const calls = ['at the head', 'by y', 'by x'].map((message) => ({ message, type: 'warn', origin: '' }))
  suite.output = calls.map(({ message }) => ({ stream: 'stderr', text: message }))
  const output = (index: number) => ({ kind: 'output', index, atMs: index }) as const
  assignEvents(
    suite,
    [
      { test: null, event: output(0) },
      { test: key('y'), event: output(1) },
      { test: key('x'), event: output(2) },
    ],
    { console: calls, rootDir: '/' },
  )
  expect(suite.output).toMatchObject([{ stream: 'stderr', text: 'at the head' }])
  expect(suite.tests.map(({ attempts }) => attempts[0]?.output)).toMatchObject([
    [{ stream: 'stderr', text: 'by x', atMs: 2 }],
    [{ stream: 'stderr', text: 'by y', atMs: 1 }],
  ])
})
