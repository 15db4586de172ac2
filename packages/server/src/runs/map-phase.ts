import {
  formatDurationUs,
  formatTimestampUs,
  type Measurement,
  type Phase,
  type Validator,
} from '@runledger/protocol'
import { deriveUuid } from '../database/derived-uuid'
import { deriveMeasurementOutcome } from './derive-measurement-outcome'
import type { MeasurementRow, PhaseRow } from './run-detail-store'

/** A phase as `GET /v2/runs/{id}` shows it. */
export function mapPhase(row: PhaseRow, measurements: readonly MeasurementRow[]): Phase {
  return {
    id: deriveUuid('phase', row.id),
    name: row.name,
    outcome: row.outcome,
    started_at: formatTimestampUs(row.started_at_us),
    ended_at: formatTimestampUs(row.started_at_us + row.duration_us),
    duration: formatDurationUs(row.duration_us),
    retry_count: row.retry_count,
    measurements: measurements.map(mapMeasurement),
    docstring: row.docstring,
  }
}

function mapMeasurement(row: MeasurementRow): Measurement {
  const validators = mapLimits(row)
  return {
    id: deriveUuid('measurement', row.id),
    name: row.name,
    outcome: row.outcome,
    validators: validators.length > 0 ? validators : null,
    units: row.unit_of_measure,
    aggregations: null,
    measured_value: row.number_value,
    data_series: null,
    docstring: null,
  }
}

/** A v1 step's limits are its validators: `>=` the low one, `<=` the high one. */
function mapLimits({ number_value: value, limit_low: low, limit_high: high }: MeasurementRow): Validator[] {
  const lowOutcome = deriveMeasurementOutcome({ value, limitLow: low, limitHigh: null })
  const highOutcome = deriveMeasurementOutcome({ value, limitLow: null, limitHigh: high })
  return [
    ...(low === null ? [] : [createValidator('>=', low, lowOutcome)]),
    ...(high === null ? [] : [createValidator('<=', high, highOutcome)]),
  ]
}

function createValidator(operator: string, expected: number, outcome: Validator['outcome']): Validator {
  return {
    outcome,
    operator,
    expected_value: expected,
    expression: `x ${operator} ${expected}`,
    is_decisive: true,
    is_expression_only: false,
    analytics_expression: null,
    has_custom_expression: false,
  }
}
