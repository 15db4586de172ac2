import { twoFactorAnova, type TwoFactorAnova } from './two-factor-anova'
import type { SpecificationLimits } from './capability'
import { meanOf } from './summary'

export interface GaugeReading {
  readonly unit: string
  readonly station: string
  readonly value: number
}

export interface VarianceComponent {
  readonly sigma: number
  /** Share of the total variance. */
  readonly share: number
}

/** The shares of the gauge and of the units in the variation. */
export interface GaugeStudy {
  readonly units: readonly string[]
  readonly stations: readonly { readonly station: string; readonly mean: number }[]
  /** Values of each unit at each station that are used: the first ones if there are more. */
  readonly readings: number
  readonly leftOut: number
  readonly anova: TwoFactorAnova
  /** Whether interaction and error were taken together: its F-test has p above 0.05, or there is none. */
  readonly pooled: boolean
  readonly repeatability: VarianceComponent
  /** Differences between stations, with their interaction with units. */
  readonly reproducibility: VarianceComponent
  readonly gauge: VarianceComponent
  /** Undefined with one unit. */
  readonly unitVariation: VarianceComponent | undefined
  readonly total: VarianceComponent
  /** 6 σ of the gauge ÷ width of the limits; undefined with one limit. */
  readonly toleranceShare: number | undefined
  /** How many groups of units the gauge tells apart: 1.41 × σ of units ÷ σ of the gauge, rounded down; undefined with one unit. */
  readonly distinctCategories: number | undefined
}

const POOLING_P = 0.05

/**
 * Repeatability and reproducibility by analysis of variance. Units that some station did not measure are left out. Undefined when
 * fewer than two values of a unit at a station are left, or than one unit.
 * Source: AIAG, "Measurement Systems Analysis", the ANOVA method.
 */
export function gaugeStudy(
  readings: readonly GaugeReading[],
  limits: SpecificationLimits = {},
): GaugeStudy | undefined {
  const stations = distinct(readings.map(({ station }) => station))
  const design = balance(readings, stations)
  if (design === undefined) return undefined
  const { units, cells, size } = design
  const anova = twoFactorAnova(cells)
  const { pooled, variances } = findVariances(anova, { a: units.length, b: stations.length, r: size })
  const gauge = variances.repeatability + variances.reproducibility
  const total = gauge + variances.unit
  const component = (variance: number): VarianceComponent => ({
    sigma: Math.sqrt(variance),
    share: total === 0 ? 0 : variance / total,
  })
  const { low, high } = limits
  return {
    units,
    stations: stations.map((station, j) => ({ station, mean: meanOf(cells.flatMap((row) => row[j] ?? [])) })),
    readings: size,
    leftOut: readings.length - size * units.length * stations.length,
    anova,
    pooled,
    repeatability: component(variances.repeatability),
    reproducibility: component(variances.reproducibility),
    gauge: component(gauge),
    unitVariation: units.length > 1 ? component(variances.unit) : undefined,
    total: component(total),
    toleranceShare:
      low === undefined || high === undefined ? undefined : (6 * Math.sqrt(gauge)) / (high - low),
    distinctCategories:
      gauge === 0 || units.length === 1 ? undefined : Math.floor(1.41 * Math.sqrt(variances.unit / gauge)),
  }
}

interface Design {
  readonly units: readonly string[]
  readonly cells: readonly (readonly (readonly number[])[])[]
  readonly size: number
}

/** The units that all stations measured at least twice, and as many values in each cell. */
function balance(readings: readonly GaugeReading[], stations: readonly string[]): Design | undefined {
  const byUnit = distinct(readings.map(({ unit }) => unit)).map((unit) => ({
    unit,
    row: stations.map((station) =>
      readings
        .filter((reading) => reading.unit === unit && reading.station === station)
        .map(({ value }) => value),
    ),
  }))
  const complete = byUnit.filter(({ row }) => row.every((values) => values.length >= 2))
  if (complete.length === 0) return undefined
  const size = Math.min(...complete.flatMap(({ row }) => row.map((values) => values.length)))
  return {
    units: complete.map(({ unit }) => unit),
    cells: complete.map(({ row }) => row.map((values) => values.slice(0, size))),
    size,
  }
}

interface Variances {
  readonly repeatability: number
  readonly reproducibility: number
  readonly unit: number
}

function findVariances(
  { rows, columns, interaction, error }: TwoFactorAnova,
  { a, b, r }: { readonly a: number; readonly b: number; readonly r: number },
): { pooled: boolean; variances: Variances } {
  const pooled = interaction.pValue === undefined || interaction.pValue > POOLING_P
  const repeatability = pooled
    ? (interaction.squares + error.squares) / (interaction.freedom + error.freedom)
    : (error.meanSquare ?? 0)
  const base = pooled ? repeatability : (interaction.meanSquare ?? 0)
  const component = (meanSquare: number | undefined, values: number) =>
    meanSquare === undefined ? 0 : Math.max(0, (meanSquare - base) / values)
  const between = pooled ? 0 : Math.max(0, ((interaction.meanSquare ?? 0) - repeatability) / r)
  return {
    pooled,
    variances: {
      repeatability,
      reproducibility: component(columns.meanSquare, a * r) + between,
      unit: component(rows.meanSquare, b * r),
    },
  }
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted()
}
