import { expect, test } from 'vitest'
import type { TestArtifact, TestAttempt, TestCase } from './framework-types'
import { mapAttempts, mapAttemptsWithoutVerdict } from './map-attempts'
import { readTest } from './module-entities'
import { LiveNotes } from './module-notes'

const START_MS = Date.UTC(2026, 0, 1)

const attempt = (state: TestAttempt['state'], errors: unknown[]): TestAttempt => ({
  state,
  errors,
  duration: 2,
  startTime: START_MS,
  retryIndex: 0,
  repeatIndex: 0,
})
const listed = (attempts: TestAttempt[], runledger: unknown[] = []) =>
  ({ attempts: () => attempts, meta: () => ({ runledger }) }) as unknown as TestCase
const contextOf = (notes = new LiveNotes(() => 0)) => ({ notes, rootDir: '/project' })

test('a test that failed and then skipped itself keeps the error of its first attempt', () => {
  const error = { name: 'Error', message: 'try no. 1' }
  const attempts = mapAttemptsWithoutVerdict(
    listed([attempt('failed', [error]), attempt('skipped', [])]),
    contextOf(),
  )
  expect(attempts.map(({ status, errors }) => [status, errors.map(({ message }) => message)])).toEqual([
    ['failed', ['Error: try no. 1']],
    ['skipped', []],
  ])
})

test('a test that skipped itself in its first attempt has no attempts', () => {
  expect(mapAttemptsWithoutVerdict(listed([attempt('skipped', [])]), contextOf())).toEqual([])
})

test('keeps the events of a test that then skipped itself', () => {
  const event = { kind: 'log', message: 'no device', order: 0, atMs: 5 }
  expect(mapAttemptsWithoutVerdict(listed([], [{ ...event, attemptIndex: 0 }]), contextOf())).toMatchObject([
    { status: 'skipped', events: [event] },
  ])
})

test('keeps the events of a test that then skipped itself on a retry with that attempt', () => {
  const event = { kind: 'log', message: 'no device', order: 0, atMs: 5 }
  const tries = [attempt('failed', []), attempt('skipped', [])]
  const attempts = mapAttemptsWithoutVerdict(listed(tries, [event]), contextOf())
  expect(attempts.map(({ status, events }) => [status, events?.length])).toEqual([
    ['failed', undefined],
    ['skipped', 1],
  ])
})

test('a file that a test attached before it skipped itself makes no attempt', () => {
  const file = { kind: 'file', name: 'shot', base64: 'AAE=', order: 0, atMs: 5 }
  expect(mapAttemptsWithoutVerdict(listed([], [file]), contextOf())).toEqual([])
})

const deduced = (state: string, retryCount: number, errors: string[] | undefined, repeats = 0) =>
  ({
    id: 'id',
    options: { repeats },
    project: { config: { root: '/project' } },
    meta: () => ({}),
    result: () => ({ state, errors: errors?.map((message) => ({ message })) }),
    diagnostic: () => ({ retryCount, startTime: START_MS, duration: 2 }),
  }) as unknown as TestCase

const errorsOf = (testCase: TestCase) =>
  mapAttempts(readTest(testCase), contextOf()).map(({ errors }) =>
    errors.map(({ message, stack }) => (stack === undefined ? message : `${message} (${stack})`)),
  )

test('errors beyond the number of attempts go to the last failed one, not to the one that passed', () => {
  expect(errorsOf(deduced('passed', 0, ['soft']))).toEqual([['soft']])
  expect(errorsOf(deduced('passed', 1, ['a', 'b']))).toEqual([['a', 'b'], []])
  expect(errorsOf(deduced('passed', 1, ['a', 'b', 'c']))).toEqual([['a', 'b', 'c'], []])
  expect(errorsOf(deduced('passed', 2, ['a', 'b']))).toEqual([['a'], ['b'], []])
})

test('every retry is an attempt, also when Vitest reports fewer errors', () => {
  expect(errorsOf(deduced('passed', 2, ['a']))).toEqual([['a'], [], []])
  expect(errorsOf(deduced('failed', 2, ['a']))).toEqual([['a'], [], []])
})

test('with more errors than failed attempts, only the first and the last are assigned with certainty', () => {
  expect(errorsOf(deduced('passed', 2, ['a', 'b', 'c']))).toEqual([['a'], ['b (attempt not known)', 'c'], []])
  expect(errorsOf(deduced('failed', 2, ['a', 'b', 'c', 'd']))).toEqual([
    ['a'],
    [],
    ['b (attempt not known)', 'c (attempt not known)', 'd'],
  ])
})

test('a repeated test has at most as many failed attempts as errors, however often Vitest 3 runs it', () => {
  expect(errorsOf(deduced('passed', 2, [], 1))).toEqual([[]])
  expect(errorsOf(deduced('passed', 2, undefined, 1))).toEqual([[]])
  expect(errorsOf(deduced('passed', 4, ['a', 'b'], 2))).toEqual([['a'], ['b'], []])
  expect(errorsOf(deduced('failed', 4, ['a', 'b'], 2))).toEqual([['a'], ['b']])
})

test('output goes to the attempt during which it was written, else to the last one, marked', () => {
  const notes = new LiveNotes(() => 0)
  const write = (content: string, time: number) =>
    notes.addOutput({ type: 'stdout', content, time, size: 1, taskId: 'id' })
  for (const [content, time] of [
    ['before', 999],
    ['first', START_MS],
    ['still first', START_MS + 9],
    ['second', START_MS + 10],
  ] as const)
    write(content, time)
  const tries = [attempt('failed', []), { ...attempt('passed', []), startTime: START_MS + 10 }]
  const testCase = Object.assign(deduced('passed', 1, []), { attempts: () => tries })
  expect(
    mapAttempts(readTest(testCase), contextOf(notes)).map(({ output }) =>
      output.map(({ text, origin }) => [text, origin]),
    ),
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

test('everything belongs to the only attempt, whenever it was written', () => {
  const notes = new LiveNotes(() => 0)
  notes.addOutput({ type: 'stdout', content: 'before', time: 999, size: 1, taskId: 'id' })
  const annotations = () => [{ type: 'notice', message: 'seen at the end' }]
  const [only] = mapAttempts(
    readTest(Object.assign(deduced('passed', 0, []), { annotations })),
    contextOf(notes),
  )
  expect(only?.output).toEqual([
    { stream: 'stdout', text: 'before', atMs: 999 },
    { stream: 'stdout', text: '[notice] seen at the end' },
  ])
})

test('a failure screenshot goes to the attempt that was seen to take it', () => {
  const screenshot = {
    type: 'internal:failureScreenshot',
    attachments: [{ path: 'page.png', originalPath: '/far/page.png' }],
  } as unknown as TestArtifact
  const notes = new LiveNotes(() => 0)
  // The first attempt failed before there was a page.
  notes.addRecorded(Object.assign(deduced('pending', 1, []), { artifacts: () => [screenshot] }), screenshot)
  const testCase = Object.assign(deduced('failed', 2, ['a', 'b', 'c']), { artifacts: () => [screenshot] })
  expect(
    mapAttempts(readTest(testCase), contextOf(notes)).map(({ attachments }) => attachments.length),
  ).toEqual([0, 1, 0])
})
