import { expect, it } from 'vitest'
import { formatAmount, formatDifference, formatYield, formatYieldInterval } from './line'

it('never rounds a yield to 100 % while a unit failed', () => {
  expect([1, 0.99999, 0.9876, 0.5, 0, null].map(formatYield)).toEqual([
    '100 %',
    '99.9 %',
    '98.8 %',
    '50.0 %',
    '0 %',
    '–',
  ])
})

it('says the interval and the sample of a yield', () => {
  const rate = { count: 60, of: 62, rate: 60 / 62, low: 0.8897, high: 0.9911 }
  expect(formatYieldInterval(rate)).toBe('89.0 to 99.1 %, n = 62 units')
  expect(formatYieldInterval({ count: 0, of: 0, rate: null, low: null, high: null })).toBe('no units')
})

it('shows amounts with their unit, and differences with their sign', () => {
  expect(formatAmount(3.30000001, 'V')).toBe('3.3 V')
  expect(formatAmount(-0.0312345678, '')).toBe('−0.031235')
  expect([
    formatDifference(1.2345, 'dBm'),
    formatDifference(-1.0984, 'dBm'),
    formatDifference(0, null),
  ]).toEqual(['+1.23 dBm', '−1.1 dBm', '0'])
})
