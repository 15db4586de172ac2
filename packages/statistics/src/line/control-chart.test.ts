import { describe, expect, it } from 'vitest'
import { deviationConstant, rangeConstants } from './control-constants'
import { deviationChart, individualsChart, rangeChart, shareChart } from './control-chart'
import { PISTON_RINGS } from './known-samples'

const PAIRS = [
  [10, 12],
  [11, 13],
  [9, 11],
  [12, 14],
  [10, 12],
]

// Source of the numbers: bertanucar/shewhart (MIT), `tests/validation_cases.json`, by id.
describe("shewhart's validation cases", () => {
  it('gives the limits of imr-hand-001', () => {
    const chart = individualsChart([10, 12, 11, 13, 12])
    expect(chart?.individuals.center).toBeCloseTo(11.6, 9)
    expect(chart?.ranges.center).toBeCloseTo(1.5, 9)
    expect(chart?.sigma).toBeCloseTo(1.3293403881791372, 9)
    expect(chart?.individuals.upper).toBeCloseTo(15.588021164537412, 9)
    expect(chart?.individuals.lower).toBeCloseTo(7.611978835462588, 9)
    expect(chart?.ranges.upper).toBeCloseTo(4.89979787893309, 9)
    expect(chart?.ranges.lower).toBe(0)
  })

  it('gives the limits of xbar_r-hand-001', () => {
    const chart = rangeChart(PAIRS)
    expect(chart?.means.center).toBeCloseTo(11.4, 9)
    expect(chart?.spread.center).toBeCloseTo(2, 9)
    expect(chart?.sigma).toBeCloseTo(1.7724538509055163, 9)
    expect(chart?.means.upper).toBeCloseTo(15.159942411946501, 9)
    expect(chart?.means.lower).toBeCloseTo(7.6400575880535, 9)
    expect(chart?.spread.upper).toBeCloseTo(6.533063838577454, 9)
  })

  it('gives the limits of xbar_s-hand-001', () => {
    const chart = deviationChart(PAIRS)
    expect(chart?.means.center).toBeCloseTo(11.4, 9)
    expect(chart?.spread.center).toBeCloseTo(Math.SQRT2, 9)
    expect(chart?.sigma).toBeCloseTo(1.7724538509055168, 9)
    expect(chart?.spread.upper).toBeCloseTo(4.619573742182559, 9)
  })

  it('gives the limits of p_chart-hand-001', () => {
    const [limits] = shareChart([2, 3, 1, 4, 2].map((count) => ({ count, n: 50 })))
    expect(limits?.center).toBeCloseTo(0.048, 9)
    expect(limits?.upper).toBeCloseTo(0.13869332941291768, 9)
    expect(limits?.lower).toBe(0)
  })
})

// Source of the numbers: documentation of luca-scr/qcc, whose constant for ranges of five has three decimals, 2.326, ours 2.32593.
it('gives the limits of the piston rings', () => {
  const chart = rangeChart(PISTON_RINGS.slice(0, 25))
  expect(chart?.means.center).toBeCloseTo(74.00118, 5)
  expect(((chart?.sigma ?? NaN) * 2.32592894728) / 2.326).toBeCloseTo(0.009785039, 9)
  expect(chart?.means.lower).toBeCloseTo(73.98805, 5)
  expect(chart?.means.upper).toBeCloseTo(74.0143, 4)
})

// Source of the numbers: Montgomery, appendix VI, "Factors for constructing variables control charts".
it.each([
  { n: 2, d2: 1.128, d3: 0.853, c4: 0.7979 },
  { n: 5, d2: 2.326, d3: 0.864, c4: 0.94 },
  { n: 10, d2: 3.078, d3: 0.797, c4: 0.9727 },
  { n: 25, d2: 3.931, d3: 0.708, c4: 0.9896 },
])('knows the constants for subgroups of $n', ({ n, d2, d3, c4 }) => {
  expect(rangeConstants(n).d2).toBeCloseTo(d2, 3)
  expect(rangeConstants(n).d3).toBeCloseTo(d3, 3)
  expect(deviationConstant(n)).toBeCloseTo(c4, 4)
})

it('has the limits 2.66 and 3.267 mean moving ranges away', () => {
  const chart = individualsChart([0, 1, 0, 1, 0])
  expect(chart?.individuals.upper).toBeCloseTo(0.4 + 2.66, 2)
  expect(chart?.ranges.upper).toBeCloseTo(3.267, 3)
})

it('has no chart without a moving range, and none of unequal subgroups', () => {
  expect(individualsChart([1])).toBeUndefined()
  expect(rangeChart([])).toBeUndefined()
  expect(() =>
    rangeChart([
      [1, 2],
      [1, 2, 3],
    ]),
  ).toThrow('subgroups need one size of at least 2, not 2, 3')
  expect(() => rangeChart([Array.from({ length: 26 }, (_, i) => i)])).toThrow('2 to 25')
})
