import type { DataSeries, Measurement } from '@runledger/protocol'
import { deriveLimits, type Limits } from './limits'
import { formatCount, formatNumber } from './number'

const MAX_JSON_LENGTH = 300

/** A value with its unit; for several axes their names and sizes. */
export function formatMeasurement({
  measured_value: value,
  units,
  data_series: series,
}: Measurement): string {
  if (series !== null && series.length > 0) return series.map(formatSeries).join(', ')
  return units === null ? formatValue(value) : `${formatValue(value)} ${units}`
}

function formatSeries({ name, data, units }: DataSeries): string {
  const size = formatCount(data.length, 'value', 'values')
  return [name, units === null ? size : `${size} in ${units}`].filter(Boolean).join(': ')
}

function formatValue(value: Measurement['measured_value']): string {
  if (value === null) return 'no value'
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value !== 'object') return String(value)
  const json = JSON.stringify(value)
  return json.length > MAX_JSON_LENGTH ? `${json.slice(0, MAX_JSON_LENGTH)}…` : json
}

export function formatExpectation({ units, validators }: Measurement): string {
  const limits = deriveLimits(validators)
  return limits
    ? formatLimits(limits, units === null ? '' : ` ${units}`)
    : (validators ?? []).map(({ expression }) => expression).join(', ')
}

function formatLimits({ low, high, lowIsStrict, highIsStrict }: Limits, unit: string): string {
  if (low !== undefined && high !== undefined)
    return `limits ${formatNumber(low)} to ${formatNumber(high)}${unit}`
  if (low !== undefined) return `limit ${lowIsStrict ? '>' : '≥'} ${formatNumber(low)}${unit}`
  return `limit ${highIsStrict ? '<' : '≤'} ${formatNumber(high ?? 0)}${unit}`
}
