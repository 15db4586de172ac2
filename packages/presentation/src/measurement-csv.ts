import type { LineMeasurement } from '@runledger/protocol'
import { writeCsvLine } from './csv-line'

type Value = LineMeasurement['values'][number]

const COLUMNS = {
  procedure: ({ procedure }: LineMeasurement) => procedure.identifier,
  phase: ({ phase }: LineMeasurement) => phase,
  measurement: ({ measurement }: LineMeasurement) => measurement,
  unit_of_measure: ({ unit }: LineMeasurement) => unit,
  run_id: (_: LineMeasurement, value: Value) => value.run_id,
  serial_number: (_: LineMeasurement, value: Value) => value.serial_number,
  station: (_: LineMeasurement, value: Value) => value.station,
  batch: (_: LineMeasurement, value: Value) => value.batch,
  version: (_: LineMeasurement, value: Value) => value.version,
  value: (_: LineMeasurement, { value }: Value) => value,
  limit_low: (_: LineMeasurement, value: Value) => value.limit_low,
  limit_high: (_: LineMeasurement, value: Value) => value.limit_high,
  started_at: (_: LineMeasurement, value: Value) => value.started_at,
  passed: (_: LineMeasurement, value: Value) => value.passed,
}

/** The values of a measurement as CSV: a line of names, then a line for each value. */
export function writeMeasurementCsv(found: LineMeasurement): string {
  const columns = Object.values(COLUMNS)
  const lines = found.values.map((value) => writeCsvLine(columns.map((read) => read(found, value))))
  return [writeCsvLine(Object.keys(COLUMNS)), ...lines].join('')
}
