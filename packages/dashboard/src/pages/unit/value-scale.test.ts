import type { PlacedMeasurement } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { scaleValue } from './value-scale'

const VALUE: PlacedMeasurement = {
  run_id: 'r',
  procedure_id: 'p',
  phase: 'Power',
  measurement: 'supply',
  unit: 'V',
  value: 5,
  limit_low: 4,
  limit_high: 6,
  passed: true,
  others: {
    n: 120,
    mean: 5.012345,
    standard_deviation: 0.023456,
    min: 4.5,
    low_quartile: 4.8,
    median: 5,
    high_quartile: 5.2,
    max: 5.5,
    below: 0.375,
  },
}

it('places a value between its limits and those of other units', () => {
  const { value, allowed, range, middle } = scaleValue(VALUE)
  expect(value).toBe(50)
  expect(allowed).toEqual([4, 96])
  expect(range).toEqual([27, 73])
  expect(middle?.[0]).toBeCloseTo(40.8)
})

it('lets an open range end with the strip, and keeps a value that stands alone in the middle', () => {
  expect(scaleValue({ ...VALUE, limit_low: null, others: null })).toEqual({
    value: 4,
    allowed: [0, 96],
    range: undefined,
    middle: undefined,
  })
  expect(scaleValue({ ...VALUE, limit_low: null, limit_high: null, others: null })).toMatchObject({
    value: 50,
    allowed: undefined,
  })
})
