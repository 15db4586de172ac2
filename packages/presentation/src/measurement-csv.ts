import type { LineMeasurement } from '@runledger/protocol'
import { writeCsvLine } from './csv-line'

/** Columns that are the same in all lines. */
const SHARED = ['procedure', 'phase', 'measurement', 'unit_of_measure']
const OF_VALUE = [
  'run_id',
  'serial_number',
  'station',
  'batch',
  'version',
  'value',
  'limit_low',
  'limit_high',
  'started_at',
  'passed',
] as const

/** The values of a measurement as CSV: a line of names, then a line for each value. */
export function writeMeasurementCsv({
  procedure,
  phase,
  measurement,
  unit,
  values,
}: LineMeasurement): string {
  const shared = [procedure.identifier, phase, measurement, unit]
  const lines = values.map((value) => [...shared, ...OF_VALUE.map((column) => value[column])])
  return [[...SHARED, ...OF_VALUE], ...lines].map(writeCsvLine).join('')
}
