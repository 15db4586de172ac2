import type { TestApiEvent } from '@runledger/core'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { describe, expect, it, test } from 'vitest'
import { addNativeSteps } from './map-native-steps'

const START_MS = Date.UTC(2026, 0, 1)

const step = (title: string, atMs: number, over: object = {}): TestStep =>
  ({
    title,
    category: 'test.step',
    startTime: new Date(START_MS + atMs),
    duration: 5,
    steps: [],
    ...over,
  }) as unknown as TestStep
const result = (...steps: TestStep[]) => ({ steps }) as TestResult
const list = (events: TestApiEvent[]) =>
  events.map((each) =>
    'name' in each ? [...('within' in each ? (each.within ?? []) : []), each.name].join(' › ') : each.kind,
  )

const NESTED = result(
  step('Before Hooks', 90, { category: 'hook', steps: [step('warm up', 91)] }),
  step('outer', 100, {
    steps: [
      step('expect.toBe', 101, { category: 'expect' }),
      step('inner', 102, { steps: [step('core', 103)] }),
    ],
    error: { message: 'no' },
    duration: -1,
  }),
)

test('native steps go on record down to the depth that was asked for, and none by default', () => {
  expect(list(addNativeSteps([], NESTED, { depth: 0, startedAtMs: START_MS, rootDir: '/project' }))).toEqual(
    [],
  )
  expect(list(addNativeSteps([], NESTED, { depth: 1, startedAtMs: START_MS, rootDir: '/project' }))).toEqual([
    'warm up',
    'outer',
  ])
  expect(list(addNativeSteps([], NESTED, { depth: 3, startedAtMs: START_MS, rootDir: '/project' }))).toEqual([
    'warm up',
    'outer',
    'outer › inner',
    'outer › inner › core',
  ])
  expect(
    addNativeSteps([], NESTED, { depth: 1, startedAtMs: START_MS, rootDir: '/project' })[1],
  ).toMatchObject({
    passed: false,
    durationMs: 0,
    atMs: START_MS + 100,
  })
})

test('a native step goes on record with its place, its time and how it ended', () => {
  const [warmUp, , inner] = addNativeSteps([], NESTED, {
    depth: 2,
    startedAtMs: START_MS,
    rootDir: '/project',
  })
  expect(warmUp).toEqual({
    kind: 'step',
    name: 'warm up',
    passed: true,
    atMs: START_MS + 91,
    durationMs: 5,
    order: 0,
  })
  expect(inner).toEqual({
    kind: 'step',
    name: 'inner',
    within: ['outer'],
    passed: true,
    atMs: START_MS + 102,
    durationMs: 5,
    order: 2,
  })
})

const measure = (name: string, atMs: number, order: number): TestApiEvent => ({
  kind: 'measurement',
  name,
  value: 1,
  passed: true,
  order,
  atMs: START_MS + atMs,
})
const ownStep = (name: string, atMs: number, order: number): TestApiEvent => ({
  kind: 'step',
  name,
  passed: true,
  durationMs: 1,
  order,
  atMs: START_MS + atMs,
})

test('test API events stand between them by time, and our own steps are there once', () => {
  const events = [ownStep('core', 103.2, 9), measure('x', 102.4, 8), measure('first', 80.5, 7)]
  const all = addNativeSteps(events, NESTED, { depth: 3, startedAtMs: START_MS, rootDir: '/project' })
  expect(list(all)).toEqual(['first', 'warm up', 'outer', 'outer › inner', 'x', 'core'])
  expect(all.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4, 5])
})

test('test API events are left as they are when no native steps are asked for', () => {
  const events = [measure('x', 102.4, 8), ownStep('core', 103.2, 7)]
  expect(addNativeSteps(events, NESTED, { depth: 0, startedAtMs: START_MS, rootDir: '/project' })).toEqual(
    events,
  )
})

test('test API events of one millisecond stand in the order in which they were made', () => {
  const events = [measure('third', 100.1, 9), measure('first', 100.1, 7), measure('second', 100.1, 8)]
  expect(
    list(addNativeSteps(events, NESTED, { depth: 1, startedAtMs: START_MS, rootDir: '/project' })),
  ).toEqual(['warm up', 'outer', 'first', 'second', 'third'])
})

test('each of our own steps stands for one native step of its name', () => {
  const twice = result(step('read', 100), step('read', 200))
  const atMs = (events: TestApiEvent[]) => events.map((each) => each.atMs - START_MS)
  expect(
    atMs(
      addNativeSteps([ownStep('read', 100.5, 1)], twice, {
        depth: 1,
        startedAtMs: START_MS,
        rootDir: '/project',
      }),
    ),
  ).toEqual([100.5, 200])
  const both = [ownStep('read', 100.5, 1), ownStep('read', 200.5, 2)]
  expect(atMs(addNativeSteps(both, twice, { depth: 1, startedAtMs: START_MS, rootDir: '/project' }))).toEqual(
    [100.5, 200.5],
  )
})

test('a measurement named like a native step leaves the step on record', () => {
  expect(
    list(
      addNativeSteps([measure('outer', 101.5, 1)], NESTED, {
        depth: 1,
        startedAtMs: START_MS,
        rootDir: '/project',
      }),
    ),
  ).toEqual(['warm up', 'outer', 'outer'])
})

test('a step of a test that mocks its clock stands at the start of its attempt', () => {
  const mocked = { ...step('outer', 5), startTime: new Date(5), duration: -1 }
  expect(
    addNativeSteps([], result(mocked), { depth: 1, startedAtMs: START_MS, rootDir: '/project' }),
  ).toMatchObject([{ atMs: START_MS, durationMs: 0 }])
})

describe('why a step failed, and where it is', () => {
  const location = { file: '/project/tests/a.spec.ts', line: 4, column: 3 }
  const error = { message: 'Error: no', location: { ...location, line: 5 } }
  const failed = result(step('outer', 100, { location, error }))
  const told = {
    error: { message: 'Error: no', location: { file: 'tests/a.spec.ts', line: 5, column: 3 } },
    location: { file: 'tests/a.spec.ts', line: 4, column: 3 },
  }
  const context = { startedAtMs: START_MS, rootDir: '/project' }

  it('goes on record with it', () => {
    expect(addNativeSteps([], failed, { ...context, depth: 1 })).toMatchObject([{ passed: false, ...told }])
  })

  it('goes on record with our own step too, without the depth', () => {
    const own = { ...ownStep('outer', 100.5, 7), passed: false }
    expect(addNativeSteps([own], failed, { ...context, depth: 0 })).toEqual([{ ...own, ...told }])
  })

  it('is no error of our own step that passed', () => {
    const own = ownStep('outer', 100.5, 7)
    expect(addNativeSteps([own], failed, { ...context, depth: 0 })).toEqual([
      { ...own, location: told.location },
    ])
  })

  it('is not told of a step that was under way when its test ended, which has not passed', () => {
    const hanging = result(step('outer', 100, { duration: -1 }))
    const [event] = addNativeSteps([], hanging, { ...context, depth: 1 })
    expect(event).toMatchObject({ passed: false, durationMs: 0 })
    expect(event).not.toHaveProperty('error')
  })
})
