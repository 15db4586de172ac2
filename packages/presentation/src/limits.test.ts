import { describe, expect, it } from 'vitest'
import type { Measurement, Phase, Validator } from '@runledger/protocol'
import { deriveLimits, findDisagreement, locate, scaleGauge } from './limits'

function validator(operator: string | null, expected: Validator['expected_value']): Validator {
  return {
    outcome: 'UNSET',
    operator,
    expected_value: expected,
    expression: '',
    is_decisive: true,
    is_expression_only: false,
    analytics_expression: null,
    has_custom_expression: false,
  }
}

function measured(value: Measurement['measured_value'], ...validators: Validator[]): Measurement {
  const nothing = { units: null, aggregations: null, data_series: null, docstring: null }
  return { id: 'm', name: 'm', outcome: 'UNSET', measured_value: value, validators, ...nothing }
}

function phaseWith(outcome: Phase['outcome'], ...measurements: Measurement[]): Phase {
  const at = '2026-11-20T09:30:00.000Z'
  return {
    id: 'p',
    name: 'p',
    outcome,
    started_at: at,
    ended_at: at,
    duration: 'PT0S',
    retry_count: 0,
    measurements,
    docstring: null,
  }
}

const between = [validator('>=', 3.2), validator('<=', 3.4)]

describe('limits', () => {
  it('are what the validators say', () => {
    expect(deriveLimits(between)).toEqual({ low: 3.2, high: 3.4, lowIsStrict: false, highIsStrict: false })
    expect(deriveLimits([validator('<', 5)])).toMatchObject({ low: undefined, high: 5, highIsStrict: true })
  })

  it('are the tighter ones of several', () => {
    expect(
      deriveLimits([validator('>=', 1), validator('>', 2), validator('<=', 9), validator('<=', 10)]),
    ).toMatchObject({
      low: 2,
      lowIsStrict: true,
      high: 9,
    })
  })

  it('are none without numeric bounds', () => {
    expect(deriveLimits(null)).toBeUndefined()
    expect(deriveLimits([validator('==', 'ok'), validator('==', 5), validator('>=', '5')])).toBeUndefined()
  })
})

it.each([
  [3.2, 'inside'],
  [3.4, 'inside'],
  [3.19999, 'below'],
  [3.40001, 'above'],
])('places %d between 3.2 and 3.4 %s', (value, position) => {
  expect(locate(value, deriveLimits(between)!)).toBe(position)
})

it('keeps a strict limit itself outside', () => {
  const limits = deriveLimits([validator('>', 0), validator('<', 1)])!
  expect([0, 0.5, 1].map((value) => locate(value, limits))).toEqual(['below', 'inside', 'above'])
})

describe('disagreement', () => {
  it('is a step that passed although its value lies outside', () => {
    const measurement = measured(3.5, ...between)
    expect(findDisagreement(phaseWith('PASS', measurement), measurement)).toBe('passed-outside')
  })

  it('is a step that failed although its only value lies inside', () => {
    const measurement = measured(3.3, ...between)
    expect(findDisagreement(phaseWith('FAIL', measurement), measurement)).toBe('failed-inside')
  })

  it('is not a step that may have failed for another of its values', () => {
    const measurement = measured(3.3, ...between)
    expect(
      findDisagreement(phaseWith('FAIL', measurement, measured(9, ...between)), measurement),
    ).toBeUndefined()
  })

  it('is nothing where value and outcome agree, or there is nothing to compare', () => {
    const inside = measured(3.3, ...between)
    const outside = measured(3.5, ...between)
    const unlimited = measured(3.5)
    const text = measured('3.5', ...between)
    expect(findDisagreement(phaseWith('PASS', inside), inside)).toBeUndefined()
    expect(findDisagreement(phaseWith('FAIL', outside), outside)).toBeUndefined()
    expect(findDisagreement(phaseWith('PASS', unlimited), unlimited)).toBeUndefined()
    expect(findDisagreement(phaseWith('PASS', text), text)).toBeUndefined()
  })
})

describe('gauge', () => {
  const limitsOf = (low?: number, high?: number) =>
    deriveLimits([
      ...(low === undefined ? [] : [validator('>=', low)]),
      ...(high === undefined ? [] : [validator('<=', high)]),
    ])!

  it('leaves a quarter free on either side of two limits', () => {
    expect(scaleGauge(15, limitsOf(10, 20))).toEqual({ low: 0.25, high: 0.75, value: 0.5 })
    expect(scaleGauge(12.5, limitsOf(10, 20))?.value).toBeCloseTo(0.375)
  })

  it('draws a range with one limit from zero to it', () => {
    expect(scaleGauge(500, limitsOf(undefined, 1000))).toEqual({ low: undefined, high: 0.75, value: 0.5 })
    expect(scaleGauge(3, limitsOf(2, undefined))).toEqual({ low: 0.25, high: undefined, value: 0.5 })
  })

  it('draws a value near its only limit apart from it', () => {
    expect(scaleGauge(91.6, limitsOf(89, undefined))?.value).toBeCloseTo(0.375)
    expect(scaleGauge(58, limitsOf(undefined, 60))?.value).toBeCloseTo(0.625)
    expect(scaleGauge(89, limitsOf(89, undefined))?.value).toBe(0.25)
  })

  it('keeps a value far outside at its end', () => {
    expect(scaleGauge(1e9, limitsOf(10, 20))?.value).toBe(0.98)
    expect(scaleGauge(-1e9, limitsOf(10, 20))?.value).toBe(0.02)
  })

  it.each([
    [2310, undefined, 1000],
    [0, undefined, 0],
    [5, 5, 5],
    [6, 5, 5],
    [-3, -1, undefined],
  ])('draws a value of %d between %s and %s on its right side', (value, low, high) => {
    const scale = scaleGauge(value, limitsOf(low, high))!
    for (const at of [scale.value, scale.low ?? 0.5, scale.high ?? 0.5]) {
      expect(at).toBeGreaterThanOrEqual(0)
      expect(at).toBeLessThanOrEqual(1)
    }
    if (high !== undefined && value > high) expect(scale.value).toBeGreaterThan(scale.high!)
    if (low !== undefined && value < low) expect(scale.value).toBeLessThan(scale.low!)
  })
})
