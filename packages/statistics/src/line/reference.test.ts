import { describe, expect, it } from 'vitest'
import { wilsonInterval } from '../intervals'
import { andersonDarling } from './anderson-darling'
import { capability, movingRangeFreedom } from './capability'
import { individualsChart } from './control-chart'
import reference from './data/reference.json' with { type: 'json' }
import { chiSquareQuantile, fTail, logNormalBelow, normalBelow } from './distributions'
import { gaugeStudy } from './gauge-study'
import { summarize } from './summary'
import { twoFactorAnova, type Variation } from './two-factor-anova'

/** Asserts equality up to rounding, relative to the size of the number. */
function expectNear(found: number | undefined, expected: number | null, relative = 1e-9): void {
  if (expected === null) return expect(found).toBeUndefined()
  expect(Math.abs((found ?? NaN) - expected)).toBeLessThanOrEqual(relative * Math.abs(expected) + 1e-300)
}

// `data/make-reference.R` made these tables with R and its packages nortest and lme4.
describe('tables made with R', () => {
  it.each(reference.normal)('normal distribution below $z', ({ z, below, log }) => {
    expectNear(normalBelow(z), below)
    expectNear(logNormalBelow(z), log)
  })

  it.each(reference.chiSquare)(
    'chi-square, $probability with $freedom',
    ({ probability, freedom, quantile }) => {
      expectNear(chiSquareQuantile(probability, freedom), quantile)
    },
  )

  it.each(reference.fTail)('tail of F at $f with $above and $below', ({ f, above, below, tail }) => {
    expectNear(fTail(f, { above, below }), tail)
  })

  it.each(reference.wilson)('interval of $passed in $n', ({ passed, n, low, high }) => {
    const interval = wilsonInterval(passed, n)
    expect(interval.low).toBeCloseTo(low, 12)
    expect(interval.high).toBeCloseTo(high, 12)
  })

  it.each(Object.entries(reference.andersonDarling))(
    'Anderson-Darling of %s',
    (_, { values, ...expected }) => {
      const { statistic, pValue } = andersonDarling(values) ?? {}
      expectNear(statistic, expected.statistic)
      expectNear(pValue, expected.pValue)
    },
  )

  it.each(reference.capability)('capability of $sample', ({ sample, low, high, within, overall }) => {
    const { values } = reference.andersonDarling[sample as keyof typeof reference.andersonDarling]
    const { n, mean = NaN, standardDeviation = NaN } = summarize(values)
    const sigma = individualsChart(values)?.sigma ?? NaN
    for (const [deviation, expected] of [
      [{ sigma, freedom: movingRangeFreedom(n) }, within],
      [{ sigma: standardDeviation, freedom: n - 1 }, overall],
    ] as const) {
      const found = capability({ n, mean }, deviation, { low: low ?? undefined, high: high ?? undefined })
      for (const [i, key] of (['value', 'low', 'high'] as const).entries()) {
        expectNear(found?.spread?.[key], expected.spread[i] ?? null)
        expectNear(found?.centered[key], expected.centered[i] ?? NaN)
      }
      expectNear(found?.expectedOutside, expected.expectedOutside)
    }
  })

  it.each(Object.entries(reference.anova))(
    'analysis of variance of %s',
    (_, { unit, station, value, table }) => {
      const cells = toCells({ unit, station, value })
      const { rows, columns, interaction, error } = twoFactorAnova(cells)
      for (const [i, found] of [rows, columns, interaction, error].entries()) expectVariation(found, table[i])
    },
  )

  it.each(reference.gauge)('variances of a gauge study', ({ unit, station, value, variances }) => {
    const readings = value.map((each, i) => ({ unit: unit[i] ?? '', station: station[i] ?? '', value: each }))
    const study = gaugeStudy(readings)
    const between = 'unit_station' in variances ? (variances.unit_station ?? 0) : 0
    expect(study?.pooled).toBe(between === 0)
    // Restricted maximum likelihood is found by a search, which ends a little beside its maximum.
    expectNear(study && study.repeatability.sigma ** 2, variances.Residual, 1e-4)
    expectNear(study && study.reproducibility.sigma ** 2, variances.station + between, 1e-4)
    expectNear(study?.unitVariation && study.unitVariation.sigma ** 2, variances.unit, 1e-4)
  })
})

function toCells({
  unit,
  station,
  value,
}: {
  unit: string[]
  station: string[]
  value: number[]
}): number[][][] {
  const stations = [...new Set(station)]
  return [...new Set(unit)].map((row) =>
    stations.map((column) => value.filter((_, i) => unit[i] === row && station[i] === column)),
  )
}

function expectVariation(
  found: Variation,
  expected: { freedom: number; squares: number; f: number | null; pValue: number | null } | undefined,
): void {
  expect(found.freedom).toBe(expected?.freedom)
  expectNear(found.squares, expected?.squares ?? NaN)
  expectNear(found.f, expected?.f ?? null)
  expectNear(found.pValue, expected?.pValue ?? null)
}
