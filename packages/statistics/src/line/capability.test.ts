import { describe, expect, it } from 'vitest'
import { capability, movingRangeFreedom } from './capability'
import { individualsChart, rangeChart } from './control-chart'
import { MICHELSO, PISTON_RINGS } from './known-samples'
import { summarize } from './summary'

function overall(values: readonly number[], limits: { low?: number; high?: number }) {
  const { n, mean = NaN, standardDeviation: sigma = NaN } = summarize(values)
  return capability({ n, mean }, { sigma, freedom: n - 1 }, limits)
}

// Source of the numbers: NIST StRD, univariate summary statistics.
describe('certified values of NIST', () => {
  it('gives those of Michelso', () => {
    const { n, mean, standardDeviation } = summarize(MICHELSO)
    expect(n).toBe(100)
    expect(mean).toBeCloseTo(299.8524, 11)
    expect(standardDeviation).toBeCloseTo(0.0790105478190518, 11)
    expect(overall(MICHELSO, { low: 299.6, high: 300.1 })?.spread?.value).toBeCloseTo(1.05471149907961, 9)
  })

  it.each([
    { name: 'NumAcc1', values: [10000001, 10000003, 10000002], mean: 10000002, deviation: 1 },
    { name: 'NumAcc2', values: accuracy(1, 1.2, 0.1), mean: 1.2, deviation: 0.1 },
    { name: 'NumAcc3', values: accuracy(1e6, 1000000.2, 0.1), mean: 1000000.2, deviation: 0.1 },
    { name: 'NumAcc4', values: accuracy(1e7, 10000000.2, 0.1), mean: 10000000.2, deviation: 0.1 },
  ])('gives those of $name', ({ values, mean, deviation }) => {
    expect(summarize(values).mean).toBeCloseTo(mean, 9)
    // 10,000,000.1 itself is 9e-10 away from its nearest number.
    expect(summarize(values).standardDeviation).toBeCloseTo(deviation, 8)
  })

  /** A value, then 500 times that value and a tenth more on either side. */
  function accuracy(base: number, center: number, distance: number): number[] {
    const tenths = (value: number) => Math.round(value * 10) / 10
    const pair = [tenths(center - distance), tenths(center + distance)]
    return [tenths(base + 0.2), ...Array.from({ length: 500 }, () => pair).flat()]
  }
})

// Source of the numbers: documentation of luca-scr/qcc, `processCapability` of the first 25 samples.
it('gives the capability of the piston rings', () => {
  const samples = PISTON_RINGS.slice(0, 25)
  const { n, mean = NaN } = summarize(samples.flat())
  const sigma = rangeChart(samples)?.sigma ?? NaN
  const result = capability({ n, mean }, { sigma, freedom: n - 1 }, { low: 73.95, high: 74.05 })
  expect(result?.spread?.value).toBeCloseTo(1.703, 3)
  expect(result?.centered.value).toBeCloseTo(1.663, 3)
})

// Source of the numbers: luca-scr/qcc, `tests/testthat/test-capability.R`. Its intervals have n − 1 degrees of freedom, and its
// constant for ranges of four has three decimals, 2.059, ours 2.05875.
describe("qcc's samples of four", () => {
  const samples = [
    [10, 10.02, 9.98, 10.01],
    [10.03, 9.99, 10.01, 10],
    [9.97, 10.04, 10.02, 9.99],
  ]
  const { n, mean = NaN } = summarize(samples.flat())
  const within = { sigma: ((rangeChart(samples)?.sigma ?? NaN) * 2.05875074601) / 2.059, freedom: n - 1 }

  it.each([
    { name: 'both limits', limits: { low: 9.9, high: 10.1 }, centered: [1.304033, 0.727408, 1.880659] },
    { name: 'an upper limit', limits: { high: 10.1 }, centered: [1.304033, 0.727408, 1.880659] },
    { name: 'a lower limit', limits: { low: 9.9 }, centered: [1.4413, 0.810191, 2.072409] },
  ])('have Cpk with $name', ({ limits, centered: [value = 0, low = 0, high = 0] }) => {
    const index = capability({ n, mean }, within, limits)?.centered
    expect(index?.value).toBeCloseTo(value, 5)
    expect(index?.low).toBeCloseTo(low, 5)
    expect(index?.high).toBeCloseTo(high, 5)
  })

  it('have Cp and Pp with both limits, and neither with one', () => {
    const cp = capability({ n, mean }, within, { low: 9.9, high: 10.1 })?.spread
    expect([cp?.value, cp?.low, cp?.high]).toEqual(near([1.372667, 0.80846, 1.937713]))
    const pp = overall(samples.flat(), { low: 9.9, high: 10.1 })
    expect([pp?.spread?.value, pp?.spread?.low, pp?.spread?.high]).toEqual(
      near([1.612598, 0.949773, 2.27641]),
    )
    expect([pp?.centered.value, pp?.centered.low]).toEqual(near([1.531968, 0.864608]))
    expect(capability({ n, mean }, within, { low: 9.9 })?.spread).toBeUndefined()
  })

  function near(values: readonly number[]): unknown[] {
    return values.map((value) => expect.closeTo(value, 5))
  }
})

// Source of the numbers: bertanucar/shewhart (MIT), `tests/validation_cases.json`, capability-hand-001.
it("gives the capability of shewhart's case", () => {
  const values = [10, 12, 11, 13, 12]
  const limits = { low: 6, high: 16 }
  const sigma = individualsChart(values)?.sigma ?? NaN
  const within = capability({ n: 5, mean: 11.6 }, { sigma, freedom: movingRangeFreedom(5) }, limits)
  expect(within?.spread).toEqual(index(1.2537546301061249, 0.2703628317047268, 2.3009503054077562))
  expect(within?.centered).toEqual(index(1.10330407449339, 0.08933464464779221, 2.117273504338988))
  expect(within?.expectedOutside).toBeCloseTo(479.24768784313176e-6, 12)
  const total = overall(values, limits)
  expect(total?.spread).toEqual(index(1.4617633655117155, 0.5086949938175186, 2.4397972170663706))
  expect(total?.centered).toEqual(index(1.2863517616503097, 0.3483091715678716, 2.2243943517327476))
  expect(total?.expectedOutside).toBeCloseTo(57.36494813146642e-6, 12)

  function index(value: number, low: number, high: number): unknown {
    return { value: expect.closeTo(value, 9), low: expect.closeTo(low, 9), high: expect.closeTo(high, 9) }
  }
})

it('is undefined without a limit or a deviation, and has an interval where the mean is on a limit', () => {
  expect(capability({ n: 5, mean: 1 }, { sigma: 1, freedom: 4 }, {})).toBeUndefined()
  expect(capability({ n: 5, mean: 1 }, { sigma: 0, freedom: 4 }, { low: 0 })).toBeUndefined()
  const { value, low, high } =
    capability({ n: 100, mean: 1 }, { sigma: 1, freedom: 99 }, { low: 1 })?.centered ?? {}
  expect([value, low, high]).toEqual([0, expect.closeTo(-0.0653, 4), expect.closeTo(0.0653, 4)])
})
