import type { DataSeries, Measurement, Phase } from '@runledger/protocol'
import { formatCount, formatNumber } from '@runledger/protocol/reading'
import { Badge } from '../../ui/badge'
import { LimitGauge } from './limit-gauge'
import { deriveLimits, findDisagreement, locate, type Limits } from './limits'

const DISAGREEMENTS = {
  'passed-outside': 'Outside its limits, yet passed',
  'failed-inside': 'Within its limits, yet failed',
}
const PLACES = { below: 'below the limit', above: 'above the limit', inside: undefined }

/** A measured value against its limits, with a mark when the outcome of its step contradicts them. */
export function MeasurementView({ phase, measurement }: { phase: Phase; measurement: Measurement }) {
  const { measured_value: value } = measurement
  const limits = deriveLimits(measurement.validators)
  const position = limits && typeof value === 'number' ? locate(value, limits) : undefined
  const disagreement = findDisagreement(phase, measurement)
  const place = position && PLACES[position]
  return (
    <div className="text-sm">
      <p className="flex flex-wrap items-center gap-x-2">
        {isNamedApart(phase, measurement) && <span className="text-soft">{measurement.name}</span>}
        <span className="numeric text-base font-semibold wrap-anywhere">
          {formatMeasurement(measurement)}
        </span>
        {limits && typeof value === 'number' && <LimitGauge value={value} limits={limits} />}
        {place && <span className="font-medium text-bad">{place}</span>}
      </p>
      <p className="numeric break-words text-soft">{describeExpectation(measurement, limits)}</p>
      {disagreement && <Badge tone="warn" word={DISAGREEMENTS[disagreement]} />}
    </div>
  )
}

// A v1 step and its one measurement have the same name.
function isNamedApart(phase: Phase, measurement: Measurement): boolean {
  return phase.measurements.length > 1 || !phase.name.endsWith(measurement.name)
}

const MAX_JSON_LENGTH = 300

/** A value with its unit; of several axes their names and sizes. */
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

function describeExpectation({ units, validators }: Measurement, limits: Limits | undefined): string {
  if (!limits) return (validators ?? []).map(({ expression }) => expression).join(', ')
  const unit = units ? ` ${units}` : ''
  const { low, high } = limits
  if (low !== undefined && high !== undefined)
    return `limits ${formatNumber(low)} to ${formatNumber(high)}${unit}`
  if (low !== undefined) return `limit ${limits.lowIsStrict ? '>' : '≥'} ${formatNumber(low)}${unit}`
  return `limit ${limits.highIsStrict ? '<' : '≤'} ${formatNumber(high ?? 0)}${unit}`
}
