import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { StepEvent, TestApiEvent } from '@runledger/core'
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

test('a call before one of our own steps, in the same millisecond, is placed before it', () => {
  const events = [measure('last', 103.9, 10), ownStep('core', 103.7, 9), measure('x', 103.2, 8)]
  const all = addNativeSteps(events, NESTED, { depth: 3, startedAtMs: START_MS, rootDir: '/project' })
  expect(list(all)).toEqual(['warm up', 'outer', 'outer › inner', 'x', 'core', 'last'])
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

  it('does not become an error of our own passed step', () => {
    const own = ownStep('outer', 100.5, 7)
    expect(addNativeSteps([own], failed, { ...context, depth: 0 })).toEqual([
      { ...own, location: told.location },
    ])
  })

  it('does not report a step as passed that was under way when its test ended', () => {
    const hanging = result(step('outer', 100, { duration: -1 }))
    const [event] = addNativeSteps([], hanging, { ...context, depth: 1 })
    expect(event).toMatchObject({ passed: false, durationMs: 0 })
    expect(event).not.toHaveProperty('error')
  })
})

describe('the steps of a failed test, which are recorded as details', () => {
  const place = (line: number) => ({ file: fileURLToPath(import.meta.url), line, column: 3 })
  const rootDir = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')
  const context = { startedAtMs: START_MS, rootDir, areDetails: true, hasSnippets: true, depth: 3 }
  const detail = (events: TestApiEvent[], name: string): StepEvent => {
    const found = events.find((each) => each.kind === 'step' && each.name === name)
    if (found?.kind !== 'step') throw new Error(`no step ${name}`)
    return found
  }
  const BROKEN = result(
    step('Before Hooks', 90, {
      category: 'hook',
      steps: [
        step('beforeEach hook', 91, {
          category: 'hook',
          steps: [step('page.goto(/)', 92, { category: 'pw:api' })],
        }),
        step('fixture: page', 93, { category: 'fixture' }),
      ],
    }),
    step('attach "runledger"', 95, { category: 'attach' }),
    step('signs in', 100, {
      error: { message: 'no' },
      steps: [
        step('Click', 101, { category: 'pw:api', subtitle: "getByRole('button')", location: place(1) }),
      ],
    }),
    step('After Hooks', 110, { category: 'hook' }),
  )

  it('stand as in Playwright’s report, hooks and fixtures too, without what carries our events', () => {
    const all = addNativeSteps([], BROKEN, context)
    expect(list(all)).toEqual([
      'Before Hooks',
      'Before Hooks › beforeEach hook',
      'Before Hooks › beforeEach hook › page.goto(/)',
      'Before Hooks › fixture: page',
      'signs in',
      "signs in › Click getByRole('button')",
      'After Hooks',
    ])
    expect(all.every((each) => each.kind === 'step' && each.isDetail)).toBe(true)
    expect(list(addNativeSteps([], BROKEN, { ...context, depth: 1 }))).toEqual([
      'Before Hooks',
      'signs in',
      'After Hooks',
    ])
  })

  it('say which of them failed, and leave why to their test', () => {
    const all = addNativeSteps([], BROKEN, context)
    expect(detail(all, 'signs in')).toMatchObject({ passed: false })
    expect(detail(all, 'signs in')).not.toHaveProperty('error')
    expect(detail(all, 'After Hooks').passed).toBe(true)
  })

  it('have the code around their call, where it is the project’s own', () => {
    const click = detail(addNativeSteps([], BROKEN, context), "Click getByRole('button')")
    expect(click.location).toEqual({ file: 'map-native-steps.test.ts', line: 1, column: 3 })
    const [firstLine] = readFileSync(import.meta.filename, 'utf8').split('\n', 1)
    expect(click.snippet?.split('\n', 1)).toEqual([`> 1 | ${firstLine}`])
    const elsewhere = [
      { file: '/elsewhere/a.ts', line: 1 },
      { file: `${rootDir}/gone.ts`, line: 1 },
    ]
    for (const location of elsewhere)
      expect(addNativeSteps([], result(step('far', 100, { location })), context)[0]).not.toHaveProperty(
        'snippet',
      )
    expect(addNativeSteps([], BROKEN, { ...context, hasSnippets: false })).not.toContainEqual(
      expect.objectContaining({ snippet: expect.anything() as string }),
    )
  })

  it('have the calls of our own step among them, as what was asked for, with what is inside', () => {
    const all = addNativeSteps([ownStep('signs in', 100.5, 1), measure('x', 101.5, 2)], BROKEN, context)
    expect(list(all).slice(4)).toEqual([
      'signs in',
      "signs in › Click getByRole('button')",
      'x',
      'After Hooks',
    ])
    expect(detail(all, 'signs in')).not.toHaveProperty('isDetail')
  })

  it('follow each other whole where they ran side by side', () => {
    const parallel = ['a', 'b'].map((name, index) =>
      step(name, 100 + index, { steps: [step(`in ${name}`, 110 + index)] }),
    )
    expect(list(addNativeSteps([measure('x', 100.5, 1)], result(...parallel), context))).toEqual([
      'a',
      'x',
      'a › in a',
      'b',
      'b › in b',
    ])
  })

  it('stand within their attempt, whatever the test does to the clock', () => {
    const seenAtMs = START_MS + 200
    const mocked = [
      step('real', 100),
      { ...step('past', 0), startTime: new Date(5) },
      { ...step('future', 0), startTime: new Date(START_MS + 1_000_000) },
      step('slow', 190, { duration: 1_000_000 }),
    ]
    const all = addNativeSteps([], result(...mocked), { ...context, seenAtMs })
    const times = all.map((each) => [each.atMs - START_MS, each.kind === 'step' && each.durationMs])
    expect(times).toEqual([
      [100, 5],
      [100, 5],
      [100, 5],
      [190, 10],
    ])
  })

  it('keep to themselves what was typed, and what addresses ask for', () => {
    const names = [
      'Fill "hunter "2""',
      'Press sequentially "1234"',
      'Press "Enter"',
      'Navigate to "localhost:4000/reset?token=abc&next=/x"',
      'Navigate to "/done#access_token=abc"',
    ]
    const all = addNativeSteps([], result(...names.map((name, index) => step(name, index))), context)
    expect(list(all)).toEqual([
      'Fill "…"',
      'Press sequentially "…"',
      'Press "Enter"',
      'Navigate to "localhost:4000/reset?…"',
      'Navigate to "/done#…"',
    ])
  })

  it('have what failed the test among them, however often something failed that was tried again', () => {
    const error = { message: 'no' }
    const polls = Array.from({ length: 250 }, (_, index) => step(`poll ${index}`, 10 + index, { error }))
    const tried = step('tries', 10, { steps: polls })
    const all = addNativeSteps([], result(tried, step('pays', 300, { error })), context)
    expect(all.filter(({ kind }) => kind === 'step')).toHaveLength(200)
    expect(list(all)).toContain('pays')
    expect(list(all)).toContain('tries › poll 249')
  })

  it('are the failed ones and the latest where there are too many, with what they are in', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => step(`s${index}`, 100 + index))
    const failed = step('early', 90, { error: { message: 'no' } })
    const outer = step('outer', 95, { steps: [failed, ...many(300)] })
    const all = addNativeSteps([], result(step('first', 80), outer, step('last', 900)), context)
    const names = list(all)
    expect(names).toHaveLength(201)
    expect(names.slice(0, 4)).toEqual(['log', 'outer', 'outer › early', 'outer › s103'])
    expect(names.slice(-2)).toEqual(['outer › s299', 'last'])
    expect(all[0]).toMatchObject({ message: expect.stringMatching(/^104 more steps/) as string })
  })
})
