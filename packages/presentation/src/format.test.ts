import { describe, expect, it } from 'vitest'
import { RUN_OUTCOMES } from '@runledger/protocol'
import { formatBytes } from './bytes'
import { formatDuration } from './duration'
import { formatCount, formatNumber } from './number'
import { describeOutcome, isFailing } from './outcome'

it.each([
  ['PT0S', '0 s'],
  ['PT0.000012S', '12 µs'],
  ['PT0.0126S', '13 ms'],
  ['PT0.9996S', '1.00 s'],
  ['PT1.234S', '1.23 s'],
  ['PT18.342S', '18.3 s'],
  ['PT59.96S', '1 min'],
  ['PT27M15S', '27 min 15 s'],
  ['PT3H', '3 h'],
  ['P1DT2H5M', '1 d 2 h'],
  ['a while', 'a while'],
])('shows the duration %s as %s', (duration, shown) => {
  expect(formatDuration(duration)).toBe(shown)
})

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [9_960, '10 kB'],
  [999_700, '1.0 MB'],
  [300_000_000, '300 MB'],
  [2_500_000_000_000_000, '2500 TB'],
])('shows %d bytes as %s', (size, shown) => {
  expect(formatBytes(size)).toBe(shown)
})

describe('outcomes', () => {
  it('have a word of their own, each run outcome another', () => {
    const words = RUN_OUTCOMES.map((outcome) => describeOutcome(outcome).word)
    expect(new Set(words).size).toBe(RUN_OUTCOMES.length)
    expect(words).not.toContain('FAIL')
  })

  it('fail unless they passed or were skipped', () => {
    expect(['PASS', 'SKIP', 'FAIL', 'ERROR', 'TIMEOUT', 'ABORTED'].filter(isFailing)).toEqual([
      'FAIL',
      'ERROR',
      'TIMEOUT',
      'ABORTED',
    ])
  })
})

it('shows numbers with every digit and a real minus', () => {
  expect([3.312, -0.1, 1.25e-7, 100000].map(formatNumber)).toEqual(['3.312', '−0.1', '1.25e−7', '100000'])
})

it('counts things', () => {
  expect([formatCount(1, 'step'), formatCount(2000, 'step'), formatCount(2, 'retry', 'retries')]).toEqual([
    '1 step',
    '2,000 steps',
    '2 retries',
  ])
})
