import { describe, expect, it } from 'vitest'
import { formatTimestampMs, formatTimestampUs, parseTimestampUs } from './time'

describe('parseTimestampUs', () => {
  it.each([
    ['2026-11-20T09:30:00Z', Date.UTC(2026, 10, 20, 9, 30) * 1000],
    ['2026-11-20T09:30:00.123Z', Date.UTC(2026, 10, 20, 9, 30, 0, 123) * 1000],
    ['2026-11-20T09:30:00.123456Z', Date.UTC(2026, 10, 20, 9, 30, 0, 123) * 1000 + 456],
    ['2026-11-20T09:30:00.1234567899+00:00', Date.UTC(2026, 10, 20, 9, 30, 0, 123) * 1000 + 456],
    ['2026-11-20T09:30:00+02:00', Date.UTC(2026, 10, 20, 7, 30) * 1000],
    ['2026-11-20T09:30:00-0530', Date.UTC(2026, 10, 20, 15, 0) * 1000],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) * 1000],
  ])('reads %s', (text, us) => {
    expect(parseTimestampUs(text)).toBe(us)
  })

  it.each([
    '',
    'yesterday',
    '2026-11-20',
    '2026-11-20T09:30:00',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20T09:30:00+99:00',
  ])('refuses %j', (text) => {
    expect(parseTimestampUs(text)).toBeUndefined()
  })
})

describe('formatTimestampUs', () => {
  it('writes three fraction digits, and six where they are needed', () => {
    expect(formatTimestampMs(Date.UTC(2026, 0, 2))).toBe('2026-01-02T00:00:00.000Z')
    expect(formatTimestampUs(Date.UTC(2026, 0, 2) * 1000 + 7)).toBe('2026-01-02T00:00:00.000007Z')
  })

  it('gives back times before 1970', () => {
    const us = Date.UTC(1969, 11, 31, 23, 59, 59, 999) * 1000 + 5
    expect(parseTimestampUs(formatTimestampUs(us))).toBe(us)
  })
})

it('formats milliseconds of any second in any order as a date does', () => {
  const times = [
    0,
    999,
    1000,
    1001,
    1009,
    1010,
    1099,
    1100,
    1999,
    1000,
    -1,
    -1000,
    -1001,
    951_782_400_000 - 1,
    253_402_300_799_999,
  ]
  for (const ms of [...times, ...times.map((each) => each * 1_000 + 7)].filter(
    (each) => Math.abs(each) <= 8.64e15,
  ))
    expect(formatTimestampMs(ms)).toBe(new Date(ms).toISOString())
  expect(formatTimestampMs(1000.4)).toBe('1970-01-01T00:00:01.000Z')
  expect(formatTimestampMs(1999.6)).toBe('1970-01-01T00:00:02.000Z')
  expect(() => formatTimestampMs(NaN)).toThrow(RangeError)
})
