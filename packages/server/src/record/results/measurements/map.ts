import type {
  Aggregation,
  AggregationInput,
  DataSeries,
  DataSeriesInput,
  Measurement,
  Validator,
  ValidatorInput,
} from '@runledger/protocol'
import { deriveUuid } from '../../../storage/database/keys'
import type { MeasurementDetail, MeasurementRecord } from '../run-request'
import type { MeasurementRow } from './store'

export function mapMeasurement(row: MeasurementRow): Measurement {
  const detail = readDetail(row)
  const numberIds = countFrom(0)
  const aggregationsOf = (sent: readonly AggregationInput[] | undefined) =>
    sent?.map((one) => mapAggregation(one, deriveUuid('aggregation', row, numberIds()))) ?? null
  return {
    id: deriveUuid('measurement', row),
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

/** Limits become validators, `>=` and `<=`, before those that were sent; undefined for none. */
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

/** `isMultidimensional` when the value is, or has, data series. */
export function mapMeasuredValue(
  value: unknown,
  isMultidimensional: boolean,
): Pick<MeasurementRecord, 'type' | 'value' | 'text'> {
  const json = () => JSON.stringify(value)
  if (isMultidimensional)
    return { type: 'multidimensional', value: null, text: value === undefined ? null : json() }
  if (value === undefined || value === null) return { type: 'empty', value: null, text: null }
  if (typeof value === 'number') return { type: 'numeric', value, text: null }
  if (typeof value === 'boolean') return { type: 'boolean', value: value ? 1 : 0, text: null }
  if (typeof value === 'string') return { type: 'string', value: null, text: value }
  return { type: 'json', value: null, text: json() }
}

export function readMeasuredValue(row: {
  value_type: MeasurementRecord['type']
  number_value: number | null
  text_value: string | null
}): number | string | boolean | unknown[] | Record<string, unknown> | null {
  if (row.value_type === 'boolean') return row.number_value === 1
  if (row.value_type === 'string') return row.text_value
  if (row.value_type === 'json' || row.value_type === 'multidimensional')
    return row.text_value === null
      ? null
      : (JSON.parse(row.text_value) as unknown[] | Record<string, unknown>)
  return row.number_value
}

const COMPARE: Readonly<Record<string, (value: number, expected: number) => boolean>> = {
  '>=': (value, expected) => value >= expected,
  '>': (value, expected) => value > expected,
  '<=': (value, expected) => value <= expected,
  '<': (value, expected) => value < expected,
  '==': (value, expected) => value === expected,
  '!=': (value, expected) => value !== expected,
}

/**
 * What was sent stays. A missing outcome is derived if numbers are compared, else UNSET; a missing expression is made of operator
 * and expected value.
 */
function mapValidator(sent: ValidatorInput, value: unknown): Validator {
  const { operator, expected_value: expected, expression } = sent
  return {
    outcome: sent.outcome ?? deriveOutcome(sent, value),
    operator: operator ?? null,
    expected_value: expected ?? null,
    expression: expression ?? formatExpression(sent),
    is_decisive: sent.is_decisive ?? null,
    is_expression_only: operator === undefined && expression !== undefined,
    analytics_expression: null,
    has_custom_expression: expression !== undefined,
  }
}

export function mapValidators(
  sent: readonly ValidatorInput[] | undefined,
  value: unknown,
): Validator[] | null {
  return sent?.map((validator) => mapValidator(validator, value)) ?? null
}

function deriveOutcome(
  { operator = '', expected_value: expected }: ValidatorInput,
  value: unknown,
): Validator['outcome'] {
  const compare = COMPARE[operator]
  if (!compare || typeof value !== 'number' || typeof expected !== 'number') return 'UNSET'
  return compare(value, expected) ? 'PASS' : 'FAIL'
}

function formatExpression({ operator, expected_value: expected }: ValidatorInput): string {
  if (operator === undefined && expected === undefined) return ''
  return ['x', operator, expected === undefined ? undefined : formatExpected(expected)]
    .filter(Boolean)
    .join(' ')
}

function formatExpected(expected: NonNullable<ValidatorInput['expected_value']>): string {
  return typeof expected === 'number' ? String(expected) : JSON.stringify(expected)
}

interface Limited {
  value: number | null
  limitLow: number | null
  limitHigh: number | null
}

type MeasurementOutcome = 'PASS' | 'FAIL' | 'UNSET'

/** Limits are inclusive; UNSET without a value or without limits. */
export function deriveMeasurementOutcome({ value, limitLow, limitHigh }: Limited): MeasurementOutcome {
  if (value === null || (limitLow === null && limitHigh === null)) return 'UNSET'
  const inside = (limitLow === null || value >= limitLow) && (limitHigh === null || value <= limitHigh)
  return inside ? 'PASS' : 'FAIL'
}
