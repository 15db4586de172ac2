import type { LineMeasurement } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { judgeCapability, judgeControl, judgeNormality, listBrokenRules } from './judge'

const index = (value: number, low: number, high: number) => ({ value, low, high })
const capability = (low: number, high: number) => ({
  sigma: 1,
  spread: null,
  centered: index((low + high) / 2, low, high),
  expected_outside: 0.01,
})

function measurement(over: Partial<LineMeasurement>): LineMeasurement {
  return {
    procedure: { id: 'p', identifier: 'P', name: 'P' },
    days: 28,
    phase: 'Power',
    measurement: 'supply',
    unit: 'V',
    limits: { low: 3, high: null },
    n: 50,
    has_more: false,
    failed: 0,
    mean: 5,
    standard_deviation: 1,
    min: 1,
    max: 9,
    control: null,
    rules: 'western_electric',
    in_control: true,
    violations: [],
    within: null,
    overall: capability(1, 2),
    normality: null,
    histogram: [],
    drifts: [],
    values: [],
    ...over,
  }
}

it('says how many values break a rule, each value once', () => {
  const violations = [
    { rule: 1, index: 3 },
    { rule: 2, index: 3 },
    { rule: 1, index: 7 },
  ]
  const found = measurement({ in_control: false, violations })
  expect(judgeControl(found)).toMatchObject({
    word: 'No',
    text: expect.stringMatching(
      /^2 of 50 values \(4\.0 %\) break a Western Electric rule\. In a stable process about 1\.6 % /,
    ) as string,
  })
  expect(listBrokenRules(found)).toMatchObject([
    { rule: 1, indices: [3, 7] },
    { rule: 2, indices: [3] },
  ])
  expect(judgeControl(measurement({ rules: 'nelson' })).text).toBe('No Nelson rule is broken in 50 values.')
  expect(judgeControl(measurement({ in_control: null })).word).toBe('Unknown')
})

it('calls a process capable only by the interval of Cpk, and only in control', () => {
  const words = (over: Partial<LineMeasurement>) => judgeCapability(measurement(over)).word
  expect(words({ within: capability(1.4, 2) })).toBe('Yes')
  expect(words({ within: capability(1.2, 2) })).toBe('Not proven')
  expect(words({ within: capability(0.8, 1.2) })).toBe('No')
  expect(words({ in_control: false })).toBe('No answer')
  expect(words({ limits: { low: null, high: null } })).toBe('Unknown')
  expect(words({ overall: null })).toBe('Unknown')
})

it('says what the test of normality found', () => {
  const normality = (p: number) => judgeNormality(measurement({ normality: { statistic: 0.4, p_value: p } }))
  expect(normality(0.36)).toBe(
    'Normal? No evidence against it: p = 0.36 (Anderson-Darling A² = 0.40, n = 50).',
  )
  expect(normality(0.00001)).toMatch(/^Normal\? No: p < 0\.0001/)
  expect(judgeNormality(measurement({}))).toMatch(/Unknown/)
})
