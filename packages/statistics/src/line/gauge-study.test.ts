import { expect, it } from 'vitest'
import { gaugeStudy, type GaugeReading } from './gauge-study'
import { twoFactorAnova } from './two-factor-anova'

function readingsOf(values: Record<string, Record<string, number[]>>): GaugeReading[] {
  return Object.entries(values).flatMap(([unit, stations]) =>
    Object.entries(stations).flatMap(([station, list]) => list.map((value) => ({ unit, station, value }))),
  )
}

it('tells stations apart with one golden unit', () => {
  const study = gaugeStudy(readingsOf({ golden: { a: [1, 1.2, 0.8], b: [2, 2.2, 1.8] } }), {
    low: 0,
    high: 6,
  })
  // Error 0.08 ÷ 2 each; stations: 3 × 2 × 0.25 = 1.5, so (1.5 − 0.04) ÷ 3.
  expect(study?.repeatability.sigma).toBeCloseTo(0.2, 12)
  expect(study?.reproducibility.sigma).toBeCloseTo(Math.sqrt(1.46 / 3), 12)
  expect([study?.unitVariation, study?.distinctCategories]).toEqual([undefined, undefined])
  expect(study?.toleranceShare).toBeCloseTo(study?.gauge.sigma ?? NaN, 12)
  expect(study?.stations).toEqual([
    { station: 'a', mean: expect.closeTo(1, 12) as number },
    { station: 'b', mean: expect.closeTo(2, 12) as number },
  ])
})

it('has only repeatability with one station, and no share of a one-sided tolerance', () => {
  const study = gaugeStudy(readingsOf({ u: { a: [1, 2] }, v: { a: [5, 6] } }), { low: 0 })
  expect(study?.reproducibility.sigma).toBe(0)
  expect(study?.repeatability.sigma).toBeCloseTo(Math.sqrt(0.5), 12)
  expect(study?.toleranceShare).toBeUndefined()
})

it('leaves out units that a station did not measure twice, and values beyond the smallest number', () => {
  const study = gaugeStudy(
    readingsOf({ u: { a: [1, 2, 3], b: [1, 2] }, v: { a: [1, 2], b: [1] }, w: { a: [4, 5], b: [4, 6] } }),
  )
  expect(study?.units).toEqual(['u', 'w'])
  expect(study?.readings).toBe(2)
  expect(study?.leftOut).toBe(4)
})

it('is undefined when no unit was measured twice at each station', () => {
  expect(gaugeStudy(readingsOf({ u: { a: [1], b: [1, 2] } }))).toBeUndefined()
  expect(gaugeStudy([])).toBeUndefined()
})

it('takes the interaction for the error where each pair has one value', () => {
  const { rows, error, interaction } = twoFactorAnova([
    [[1], [2]],
    [[3], [5]],
  ])
  expect(error.freedom).toBe(0)
  // Rows: 2 × 2 × 1.25² = 6.25; interaction 0.25, each with one degree of freedom.
  expect(interaction.squares).toBeCloseTo(0.25, 12)
  expect(rows.f).toBeCloseTo(25, 12)
})

it('refuses cells of different sizes', () => {
  expect(() =>
    twoFactorAnova([
      [[1], [2]],
      [[1], []],
    ]),
  ).toThrow('the same number of values')
})
