import type { MeasurementRecord } from './run-record'

/** The columns of a measured value by its type; `isMultidimensional` when it is, or has, data series. */
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

/** The measured value that these columns hold. */
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
