import type { TestApiEvent } from '@runledger/core'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { expect, test } from 'vitest'
import { addNativeSteps } from './map-native-steps'

const step = (title: string, atMs: number, over: object = {}): TestStep =>
  ({
    title,
    category: 'test.step',
    startTime: new Date(atMs),
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
  expect(list(addNativeSteps([], NESTED, 0))).toEqual([])
  expect(list(addNativeSteps([], NESTED, 1))).toEqual(['warm up', 'outer'])
  expect(list(addNativeSteps([], NESTED, 3))).toEqual([
    'warm up',
    'outer',
    'outer › inner',
    'outer › inner › core',
  ])
  expect(addNativeSteps([], NESTED, 1)[1]).toMatchObject({ passed: false, durationMs: 0, atMs: 100 })
})

test('test API events stand between them by time, and our own steps are there once', () => {
  const measured: TestApiEvent = {
    kind: 'measurement',
    name: 'x',
    value: 1,
    passed: true,
    order: 7,
    atMs: 102.4,
  }
  const ours: TestApiEvent = {
    kind: 'step',
    name: 'core',
    passed: true,
    durationMs: 1,
    order: 8,
    atMs: 103.2,
  }
  const all = addNativeSteps([ours, measured], NESTED, 3)
  expect(list(all)).toEqual(['warm up', 'outer', 'outer › inner', 'x', 'core'])
  expect(all.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4])
})
