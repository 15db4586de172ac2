interface Limited {
  value: number | null
  limitLow: number | null
  limitHigh: number | null
}

export type MeasurementOutcome = 'PASS' | 'FAIL' | 'UNSET'

/** A value against its limits, both of which belong to the range; UNSET without a value or without limits. */
export function deriveMeasurementOutcome({ value, limitLow, limitHigh }: Limited): MeasurementOutcome {
  if (value === null || (limitLow === null && limitHigh === null)) return 'UNSET'
  const inside = (limitLow === null || value >= limitLow) && (limitHigh === null || value <= limitHigh)
  return inside ? 'PASS' : 'FAIL'
}
