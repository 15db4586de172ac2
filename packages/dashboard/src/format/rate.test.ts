import { expect, it } from 'vitest'
import {
  describeRecent,
  formatInterval,
  formatMinutes,
  formatMs,
  formatPercent,
  formatRate,
  formatRatio,
} from './rate'

it('shows a share with two digits that count', () => {
  expect([0, 0.0031, 0.00996, 0.031, 0.0996, 0.31, 1].map(formatPercent)).toEqual([
    '0 %',
    '0.31 %',
    '1.0 %',
    '3.1 %',
    '10 %',
    '31 %',
    '100 %',
  ])
})

it('shows no rate without its sample', () => {
  const none = { count: 0, of: 0, rate: null, low: null, high: null }
  expect([formatRate(none), formatInterval(none)]).toEqual(['–', 'no sample'])
  const some = { count: 3, of: 1062, rate: 3 / 1062, low: 0.001, high: 0.089 }
  expect(formatInterval(some)).toBe('0.10 to 8.9 %, n = 1,062')
})

it('shows durations, changes and costs', () => {
  expect([formatMs(null), formatMs(12), formatMs(1234.4)]).toEqual(['–', '12 ms', '1.23 s'])
  expect([formatRatio({ ratio: 0.352 }), formatRatio({ ratio: -0.2 })]).toEqual(['+35 %', '−20 %'])
  expect([formatMinutes(11.6), formatMinutes(192)]).toEqual(['12 min', '3.2 h'])
})

it('says in words what the bars of the last results show', () => {
  expect(describeRecent('ppprffi')).toBe(
    'Last 7 results: 3 passed, 1 passed on a retry, 2 failed, 1 failed in an infrastructure build',
  )
})
