import type { MeasurementInputSchema, MeasurementOutcome } from '@runledger/protocol'
import type * as z from 'zod'
import { checkShape } from '../check-shape'
import type { Notes } from '../notes'
import type { FilePath } from '../read-error'
import { MeasurementSchema, type OpenHtfMeasurement, type OpenHtfUnit } from './report-schema'
import { readValidators } from './validators'

type MeasurementInput = z.input<typeof MeasurementInputSchema>

export function mapMeasurement(
  [name, sent]: [name: string, sent: unknown],
  at: FilePath,
  notes: Notes,
): MeasurementInput {
  const measurement = checkShape(MeasurementSchema, sent, at)
  const outcome = mapOutcome(measurement.outcome)
  const texts = measurement.validators?.map((text, index) => notes.text(text, [...at, 'validators', index]))
  return {
    name: notes.text(name, at),
    outcome,
    ...(texts && readValidators(texts, outcome)),
    ...(measurement.docstring !== undefined && {
      docstring: notes.text(measurement.docstring, [...at, 'docstring']),
    }),
    ...(measurement.dimensions === undefined
      ? mapScalar(measurement, at, notes)
      : mapDimensioned({ ...measurement, dimensions: measurement.dimensions }, at, notes)),
  }
}

// Measurements that were set only in part, or never reached, have no verdict.
function mapOutcome(outcome: OpenHtfMeasurement['outcome']): MeasurementOutcome {
  return outcome === 'PASS' || outcome === 'FAIL' ? outcome : 'UNSET'
}

type Value = Pick<MeasurementInput, 'measured_value' | 'units' | 'x_axis' | 'y_axis'>

function mapScalar({ measured_value: value, units }: OpenHtfMeasurement, at: FilePath, notes: Notes): Value {
  const unit = nameUnit(units, [...at, 'units'], notes)
  return {
    ...(unit !== undefined && { units: unit }),
    ...(value !== undefined && {
      measured_value: typeof value === 'string' ? notes.longText(value, [...at, 'measured_value']) : value,
    }),
  }
}

/** Each row has a coordinate for each dimension, and then the value. */
function mapDimensioned(
  {
    dimensions,
    units,
    measured_value: rows,
  }: OpenHtfMeasurement & { dimensions: NonNullable<OpenHtfMeasurement['dimensions']> },
  at: FilePath,
  notes: Notes,
): Value {
  const axes = [
    ...dimensions.map((dimension, index) => ({
      units: nameUnit(dimension, [...at, 'dimensions', index], notes),
      name: notes.text(dimension.description ?? '', [...at, 'dimensions', index]).trim() || undefined,
    })),
    { units: nameUnit(units, [...at, 'units'], notes), name: undefined },
  ]
  const allUnits = axes.map((axis) => axis.units ?? '')
  if (rows === undefined || rows === null) return { units: allUnits }
  // A coordinate may be a text, such as the name of a sensor, or no finite number: no data series holds it.
  if (!isTable(rows, axes.length)) return { units: allUnits, measured_value: rows }
  const [x, ...others] = axes.map((axis, index) => ({
    ...axis,
    data: rows.map((row) => row[index] as number),
  }))
  return { units: allUnits, ...(x && { x_axis: x }), y_axis: others }
}

function isTable(rows: unknown, width: number): rows is number[][] {
  return Array.isArray(rows) && rows.every((row) => isNumbers(row, width))
}

function isNumbers(row: unknown, width: number): boolean {
  return Array.isArray(row) && row.length === width && row.every((item) => typeof item === 'number')
}

/** The sign of a unit, such as `V`; its name where it has none. */
function nameUnit(unit: OpenHtfUnit | undefined, at: FilePath, notes: Notes): string | undefined {
  if (unit === undefined) return undefined
  if (typeof unit === 'string') return notes.text(unit, at)
  // The unit that stands for none.
  if (unit.code === 'NDL' || unit.name === 'None') return undefined
  const text = unit.suffix?.trim() || unit.name
  return text && notes.text(text, at)
}
