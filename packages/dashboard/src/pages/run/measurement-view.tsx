import type { Measurement, Phase } from '@runledger/protocol'
import {
  deriveLimits,
  findDisagreement,
  formatExpectation,
  formatMeasurement,
  locate,
} from '@runledger/presentation'
import { Badge } from '../../ui/badge'
import { LimitGauge } from './limit-gauge'

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
      <p className="numeric break-words text-soft">{formatExpectation(measurement)}</p>
      {disagreement && <Badge tone="warn" word={DISAGREEMENTS[disagreement]} />}
    </div>
  )
}

// A v1 step and its one measurement have the same name.
function isNamedApart(phase: Phase, measurement: Measurement): boolean {
  return phase.measurements.length > 1 || !phase.name.endsWith(measurement.name)
}
