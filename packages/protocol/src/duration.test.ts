import { describe, expect, it } from 'vitest'
import { formatDurationMs, formatDurationUs, parseDurationUs } from './duration'

describe('formatDurationMs', () => {
  it.each([
    [0, 'PT0S'],
    [0.0000001, 'PT0S'],
    [0.4, 'PT0S'],
    [0.051, 'PT0S'],
    [1, 'PT0.001S'],
    [1234, 'PT1.234S'],
    [1500, 'PT1.500S'],
    [1234.5678, 'PT1.235S'],
    [60_000, 'PT1M'],
    [1_635_000, 'PT27M15S'],
    [3_600_001, 'PT1H0.001S'],
    [1e12, 'PT277777H46M40S'],
    [Number.NaN, 'PT0S'],
    [Number.POSITIVE_INFINITY, 'PT0S'],
    [-1, 'PT0S'],
  ])('writes %s ms as %s', (ms, text) => {
    expect(formatDurationMs(ms)).toBe(text)
  })

  it('never uses exponent notation', () => {
    for (let exponent = -20; exponent < 300; exponent += 1) {
      expect(formatDurationMs(1.234 * 10 ** exponent)).toMatch(/^PT(\d+H)?(\d+M)?(\d+(\.\d{3,6})?S)?$/)
    }
  })
})

describe('parseDurationUs', () => {
  it.each([
    ['PT27M15S', 1_635_000_000],
    ['P1DT2H', 93_600_000_000],
    ['PT1.500000S', 1_500_000],
    ['PT0,25S', 250_000],
    ['P2W', 1_209_600_000_000],
    ['PT0.0000019S', 1],
    ['PT0S', 0],
    ['PT1.5M', 90_000_000],
    ['P0.5D', 43_200_000_000],
    ['PT1H0,25M', 3_615_000_000],
  ])('reads %s', (text, us) => {
    expect(parseDurationUs(text)).toBe(us)
  })

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    '1S',
    'PT1.5H30M',
    'P0.5DT1S',
    'PT1',
    'PT-1S',
    'P1Y',
    'P1M',
    'pt1s',
    'PT1e3S',
    'PT99999999999999999S',
  ])('refuses %j', (text) => {
    expect(parseDurationUs(text)).toBeUndefined()
  })

  it('gives back every duration that was written', () => {
    for (let us = 1; us < 4e15; us = us * 7 + 13) {
      expect(parseDurationUs(formatDurationUs(us))).toBe(us)
    }
  })
})
