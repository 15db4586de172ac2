import { describe, expect, it } from 'vitest'
import {
  countFailures,
  type CountedStep,
  countTests,
  formatTestCounts,
  hasFailedBefore,
  readTestCounts,
  sumTestCounts,
} from './test-counts'

const step = (
  kind: CountedStep['kind'],
  outcome: CountedStep['outcome'],
  more: Partial<CountedStep> = {},
) => ({
  kind,
  outcome,
  hasFailedBefore: false,
  isWithin: false,
  ...more,
})

const NONE = { passed: 0, failed: 0, skipped: 0, flaky: 0, errors: 0 }

describe('countTests', () => {
  it.each<[string, CountedStep, object]>([
    ['a passed test', step('test', 'PASS'), { passed: 1 }],
    ['a flaky test as passed too', step('test', 'PASS', { hasFailedBefore: true }), { passed: 1, flaky: 1 }],
    [
      'a test that failed each time as failed alone',
      step('test', 'FAIL', { hasFailedBefore: true }),
      { failed: 1 },
    ],
    ['a test with an error as failed', step('test', 'ERROR'), { failed: 1 }],
    ['a test that did not run', step('skipped', 'SKIP'), { skipped: 1 }],
    ['a skipped phase of another tool', step(undefined, 'SKIP'), { skipped: 1 }],
    ['a failed hook as an error outside of tests', step('hook', 'FAIL'), { errors: 1 }],
    ['an error of the suite as one outside of tests', step('suite', 'FAIL'), { errors: 1 }],
    ['a hook that passed as nothing', step('hook', 'PASS'), {}],
    ['a step of a test as nothing', step('step', 'FAIL', { isWithin: true }), {}],
    ['a measurement as nothing', step('measurement', 'FAIL', { isWithin: true }), {}],
    ['a step of another tool', step(null, 'FAIL'), { failed: 1 }],
    ['a part of a step of another tool as nothing', step(undefined, 'FAIL', { isWithin: true }), {}],
    ['steps that are alike', step('test', 'PASS', { count: 3 }), { passed: 3 }],
  ])('counts %s', (_, counted, expected) => {
    expect(countTests([counted])).toEqual({ ...NONE, ...expected })
  })
})

describe('hasFailedBefore', () => {
  it('is true only after a failed attempt, where attempts are on record', () => {
    const attempts = (...outcomes: ('PASS' | 'FAIL' | 'SKIP')[]) => outcomes.map((outcome) => ({ outcome }))
    expect(hasFailedBefore({ retry_count: 1, attempts: attempts('FAIL', 'PASS') })).toBe(true)
    expect(hasFailedBefore({ retry_count: 1, attempts: attempts('PASS', 'PASS') })).toBe(false)
    expect(hasFailedBefore({ retry_count: 1, attempts: attempts('PASS', 'FAIL') })).toBe(false)
  })

  it('is true after every retry, where attempts are not on record', () => {
    expect([0, 1].map((retry_count) => hasFailedBefore({ retry_count }))).toEqual([false, true])
  })
})

describe('report variables', () => {
  it('hold the counts, 0 where one is missing or no number', () => {
    const variables = { tests_passed: '3', tests_failed: 1, tests_skipped: 'x', errors_outside_tests: '2' }
    expect(readTestCounts(variables)).toEqual({ ...NONE, passed: 3, failed: 1, errors: 2 })
    expect(readTestCounts({ tests_failed: '1' })).toEqual({ ...NONE, failed: 1 })
    expect(readTestCounts({ framework: 'jest' })).toBeUndefined()
    expect(readTestCounts(undefined)).toBeUndefined()
  })
})

describe('formatTestCounts', () => {
  it.each([
    [{}, 'none'],
    [{ passed: 2 }, '2 passed, 0 failed'],
    [{ errors: 1 }, '0 passed, 0 failed, 1 error outside of tests'],
    [
      { passed: 4_000, flaky: 2, failed: 1, skipped: 3, errors: 2 },
      '4,000 passed (2 flaky), 1 failed, 3 skipped, 2 errors outside of tests',
    ],
  ])('%j is reported as %j', (counts, words) => {
    expect(formatTestCounts({ ...NONE, ...counts })).toBe(words)
  })
})

it('adds up runs, and failures of all kinds', () => {
  const sum = sumTestCounts([
    { ...NONE, passed: 1, failed: 2 },
    { ...NONE, passed: 1, errors: 1 },
  ])
  expect(sum).toEqual({ ...NONE, passed: 2, failed: 2, errors: 1 })
  expect(countFailures(sum)).toBe(3)
})
