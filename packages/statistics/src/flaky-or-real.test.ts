import { describe, expect, it } from 'vitest'
import type { FailureFacts } from './failure-facts'
import { listFeatures } from './failure-features'
import { judgeFailure } from './flaky-or-real'

/** A first failure of a test that fails now and then. */
const FIRST: FailureFacts = {
  passedOnCommit: 0,
  failedOnCommit: 0,
  failuresInRow: 0,
  hoursSincePass: 3,
  last20: { failures: 1, n: 20 },
  last200: { failures: 10, n: 200 },
  state: 'flaky',
  fingerprints: { n: 1, seen: 1, flaky: 1 },
  otherNewFailures: 0,
  repeats: { failedAgain: 8, n: 40 },
  infrastructure: false,
}

/** Repeated failures on several commits, with an error that never proved flaky. */
const BROKEN: FailureFacts = {
  ...FIRST,
  failedOnCommit: 3,
  failuresInRow: 6,
  hoursSincePass: 30,
  last20: { failures: 6, n: 20 },
  state: 'broken',
  fingerprints: { n: 1, seen: 1, flaky: 0 },
}

describe('judgeFailure', () => {
  it('says flaky after a pass on the commit, for that reason alone', () => {
    expect(judgeFailure({ ...BROKEN, passedOnCommit: 1 })).toEqual({
      probabilityReal: 0,
      verdict: 'flaky',
      reasons: [{ code: 'passedOnCommit', value: 1, weight: -Infinity }],
    })
  })

  it('says flaky for an error that proved flaky before', () => {
    const { verdict, probabilityReal, reasons } = judgeFailure(FIRST)
    expect(verdict).toBe('flaky')
    expect(probabilityReal).toBeLessThan(0.1)
    expect(reasons.map(({ code }) => code)).toContain('flakyError')
  })

  it('says real for failures that repeat on the commit and before it, strongest reason first', () => {
    const { verdict, probabilityReal, reasons } = judgeFailure(BROKEN)
    expect(verdict).toBe('real')
    expect(probabilityReal).toBeGreaterThan(0.9)
    expect(reasons[0]).toMatchObject({ code: 'failuresInRow', value: 6 })
    const strengths = reasons.map(({ weight }) => Math.abs(weight))
    expect(strengths).toEqual(strengths.toSorted((a, b) => b - a))
  })

  it.each([
    ['the error proved flaky before', { fingerprints: { n: 1, seen: 1, flaky: 1 } }],
    ['it is the fourth failure in a row', { failuresInRow: 3 }],
    ['the build is an infrastructure build', { infrastructure: true }],
  ])('does not say real if %s', (_, others) => {
    const facts = { ...BROKEN, failedOnCommit: 7, ...others }
    expect(judgeFailure(facts)).toMatchObject({
      verdict: 'unknown',
      probabilityReal: expect.toSatisfy((probability: number) => probability > 0.9),
    })
  })

  it('returns reasons that add up, with the constant, to the logarithm of the odds', () => {
    const { probabilityReal, reasons } = judgeFailure(BROKEN, {
      ...ZERO_WEIGHTS,
      constant: 1,
      failedOnCommit: 0.5,
    })
    expect(reasons).toEqual([{ code: 'failedOnCommit', value: 3, weight: 1 }])
    expect(Math.log(probabilityReal / (1 - probabilityReal))).toBeCloseTo(2, 10)
  })
})

describe('listFeatures', () => {
  it('is zero without history, except for the prior of repeats', () => {
    const facts = {
      ...FIRST,
      hoursSincePass: undefined,
      last20: NONE,
      last200: NONE,
      state: 'unknown' as const,
    }
    const features = listFeatures({
      ...facts,
      fingerprints: { n: 0, seen: 0, flaky: 0 },
      repeats: { failedAgain: 0, n: 0 },
    })
    const { repeats, ...others } = features
    expect(Object.values(others).every((value) => value === 0)).toBe(true)
    expect(repeats).toBeCloseTo(Math.log(0.25), 10)
  })

  it('grows with each doubling', () => {
    expect(listFeatures({ ...FIRST, failuresInRow: 1, hoursSincePass: 7 })).toMatchObject({
      failuresInRow: 1,
      hoursSincePass: 3,
    })
    expect(listFeatures({ ...FIRST, failuresInRow: 3, failedOnCommit: 1 })).toMatchObject({
      failuresInRow: 2,
      failedOnCommit: 1,
    })
  })

  it('includes a new error and failures that became more frequent', () => {
    const facts = { ...FIRST, fingerprints: { n: 2, seen: 0, flaky: 0 }, last20: { failures: 10, n: 20 } }
    expect(listFeatures(facts)).toMatchObject({ newError: 1, flakyError: 0, recentExcess: 3 })
  })
})

const NONE = { failures: 0, n: 0 }
const ZERO_WEIGHTS = {
  constant: 0,
  failedOnCommit: 0,
  failuresInRow: 0,
  hoursSincePass: 0,
  recentExcess: 0,
  newError: 0,
  flakyError: 0,
  otherNewFailures: 0,
  repeats: 0,
  broken: 0,
}
