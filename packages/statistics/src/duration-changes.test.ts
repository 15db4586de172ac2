import { describe, expect, it } from 'vitest'
import { findDurationChanges, isSlowdown } from './duration-changes'
import { TIGERBEETLE, TIGERBEETLE_CHANGES } from './tigerbeetle'

/** `tests/analysis_test.py` of apache/otava. */
const HALVED = [
  1.02, 0.95, 0.99, 1, 1.12, 1, 1.01, 0.98, 1.01, 0.96, 0.5, 0.51, 0.48, 0.48, 0.55, 0.5, 0.49, 0.51, 0.5,
  0.49,
]

describe("findDurationChanges, Otava's vectors", () => {
  it.each([
    [{}, TIGERBEETLE_CHANGES],
    [{ window: 30, maxPValue: 0.01, minShare: 0.05 }, TIGERBEETLE_CHANGES],
    [{ window: 30, maxPValue: 0.05, minShare: 0.05 }, TIGERBEETLE_CHANGES],
    [{ window: 30, maxPValue: 0.2, minShare: 0.05 }, [10, 11, ...TIGERBEETLE_CHANGES]],
    [{ window: 30, maxPValue: 0.0001, minShare: 0 }, [71, 95, 117, 131, 142, 148, 192, 212]],
    [{ window: 30, maxPValue: 0.00001, minShare: 0 }, [71, 95, 131, 192, 212]],
  ])('TigerBeetle with %j', (settings, expected) => {
    expect(findDurationChanges(TIGERBEETLE, settings).map(({ index }) => index)).toEqual(expected)
  })

  it('finds where a series halves', () => {
    const changes = findDurationChanges(HALVED, { window: 10, maxPValue: 0.0001 })
    expect(changes).toMatchObject([{ index: 10, changePercent: expect.closeTo(-50.1, 1) }])
  })
})

describe('findDurationChanges', () => {
  it('describes a slow-down', () => {
    const durations = Array.from({ length: 60 }, (_, i) => (i < 40 ? 1000 : 1500) + (i % 5) * 10)
    const [change, ...others] = findDurationChanges(durations)
    expect(others).toEqual([])
    expect(change).toMatchObject({
      index: 40,
      meanBeforeMs: 1020,
      resultsBefore: 40,
      meanAfterMs: 1520,
      resultsAfter: 20,
      changeMs: 500,
    })
    expect(change?.changePercent).toBeCloseTo(49.02, 2)
    expect(change?.pValue).toBeLessThan(1e-6)
  })

  it.each([[[]], [[5]], [[5, 5, 5, 5, 5, 5]]])('finds none in %j', (durations) => {
    expect(findDurationChanges(durations)).toEqual([])
  })
})

describe('isSlowdown', () => {
  const change = {
    index: 9,
    meanBeforeMs: 500,
    resultsBefore: 9,
    meanAfterMs: 600,
    resultsAfter: 5,
    changeMs: 100,
    changePercent: 20,
    pValue: 0,
  }
  it.each([
    [true, {}],
    [false, { changePercent: 19 }],
    [false, { changeMs: 99 }],
    [false, { changeMs: -1000, changePercent: -50 }],
    [false, { resultsAfter: 4 }],
    [false, { resultsBefore: 4 }],
  ])('%s with %j', (expected, others) => {
    expect(isSlowdown({ ...change, ...others })).toBe(expected)
  })
})
