import { describe, expect, it } from 'vitest'
import { upperBoundWithoutFailure, wilsonInterval } from './intervals'

describe('wilsonInterval', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
  it.each([
    { failures: 81, n: 263, low: 0.2553, high: 0.3662 },
    { failures: 15, n: 148, low: 0.0624, high: 0.1605 },
    { failures: 0, n: 20, low: 0, high: 0.1611 },
    { failures: 1, n: 29, low: 0.0061, high: 0.1718 },
    { failures: 29, n: 29, low: 0.883, high: 1 },
  ])('is $low to $high for $failures failures in $n', ({ failures, n, low, high }) => {
    const interval = wilsonInterval(failures, n)
    expect(interval.low).toBeCloseTo(low, 4)
    expect(interval.high).toBeCloseTo(high, 4)
    expect(interval.rate).toBe(failures / n)
  })

  it('is 0 to 1 without a sample', () => {
    expect(wilsonInterval(0, 0)).toEqual({ failures: 0, n: 0, rate: undefined, low: 0, high: 1 })
  })
})

describe('upperBoundWithoutFailure', () => {
  it('is the upper end of the Wilson interval', () => {
    for (const n of [1, 20, 380, 10_000])
      expect(upperBoundWithoutFailure(n)).toBeCloseTo(wilsonInterval(0, n).high, 12)
  })

  it('falls below 1 % after 381 results', () => {
    expect(upperBoundWithoutFailure(380)).toBeGreaterThan(0.01)
    expect(upperBoundWithoutFailure(381)).toBeLessThan(0.01)
  })
})
