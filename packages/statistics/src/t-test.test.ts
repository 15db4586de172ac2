import { expect, it } from 'vitest'
import { compareSamples } from './t-test'

it('says that equal samples do not differ', () => {
  const sample = [1, 1.02, 1.05, 0.95, 0.98]
  expect(compareSamples(sample, sample).pValue).toBe(1)
})

it("finds the difference in one of Otava's vectors", () => {
  const { pValue, meanBefore, meanAfter } = compareSamples(
    [1, 1.02, 1.05, 0.95, 0.98],
    [0.8, 0.82, 0.85, 0.79, 0.77],
  )
  expect(pValue).toBeLessThan(0.001)
  expect([meanBefore, meanAfter]).toEqual([expect.closeTo(1, 10), expect.closeTo(0.806, 10)])
})

it('computes a tail of Student’s t', () => {
  // Population variances 2 each, df 8: t = 1 / sqrt(2 × (1/5 + 1/5)) = 1.118, p = 0.2960.
  expect(compareSamples([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]).pValue).toBeCloseTo(0.296, 3)
})

it('finds no difference between single values, and a certain one between two constants', () => {
  expect(compareSamples([1], [2]).pValue).toBe(1)
  expect(compareSamples([1, 1], [2, 2]).pValue).toBe(0)
})
