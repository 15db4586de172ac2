import type {
  Aggregation,
  AggregationInput,
  DataSeries,
  DataSeriesInput,
  Measurement,
  ValidatorInput,
} from '@runledger/protocol'
import { deriveUuid } from '../database/derived-uuid'
import { readMeasuredValue } from './map-measured-value'
import { mapValidators } from './map-validator'
import type { MeasurementRow } from './run-detail-store'
import type { MeasurementDetail } from './run-record'

/** A measurement as `GET /v2/runs/{id}` shows it. */
export function mapMeasurement(row: MeasurementRow): Measurement {
  const detail = readDetail(row)
  const numberIds = countFrom(0)
  const aggregationsOf = (sent: readonly AggregationInput[] | undefined) =>
    sent?.map((one) => mapAggregation(one, deriveUuid('aggregation', row.id, numberIds()))) ?? null
  return {
    id: deriveUuid('measurement', row.id),
    name: row.name,
    outcome: row.outcome,
    validators: mapValidators(listValidators(row, detail), readMeasuredValue(row)),
    units: row.unit_of_measure,
    aggregations: aggregationsOf(detail.aggregations),
    measured_value: readMeasuredValue(row),
    data_series: detail.dataSeries?.map((one) => mapDataSeries(one, aggregationsOf)) ?? null,
    docstring: detail.docstring ?? null,
  }
}

export function readDetail({ detail }: Pick<MeasurementRow, 'detail'>): MeasurementDetail {
  return detail === null ? {} : (JSON.parse(detail) as MeasurementDetail)
}

/** Limits are validators, `>=` the low one and `<=` the high one, before those that were sent; undefined for none. */
export function listValidators(
  { limit_low: low, limit_high: high }: Pick<MeasurementRow, 'limit_low' | 'limit_high'>,
  { validators }: MeasurementDetail,
): ValidatorInput[] | undefined {
  const limits = [
    ...(low === null ? [] : [createLimit('>=', low)]),
    ...(high === null ? [] : [createLimit('<=', high)]),
  ]
  return limits.length === 0 ? validators : [...limits, ...(validators ?? [])]
}

function createLimit(operator: string, expected: number): ValidatorInput {
  return {
    operator,
    expected_value: expected,
    is_decisive: true,
    outcome: undefined,
    expression: undefined,
  }
}

function mapAggregation(sent: AggregationInput, id: string): Aggregation {
  return {
    id,
    type: sent.type,
    outcome: sent.outcome ?? null,
    value: sent.value ?? null,
    unit: sent.unit ?? null,
    validators: mapValidators(sent.validators, sent.value),
  }
}

function mapDataSeries(
  sent: DataSeriesInput,
  aggregationsOf: (sent: readonly AggregationInput[] | undefined) => Aggregation[] | null,
): DataSeries {
  return {
    data: sent.data,
    units: sent.units ?? null,
    name: sent.name ?? null,
    description: sent.description ?? null,
    validators: mapValidators(sent.validators, undefined),
    aggregations: aggregationsOf(sent.aggregations),
  }
}

function countFrom(first: number): () => number {
  let next = first
  return () => next++
}
