'use strict'

const { formatDuration, parseDuration } = require('../src/duration')

describe('parseDuration', () => {
  test.each([
    ['250ms', 0.25],
    ['90 s', 90],
    ['1h 30min', 5400],
    ['1d 1.5h', 91800],
  ])('reads %s', (text, seconds) => {
    expect(parseDuration(text)).toBeCloseTo(seconds, 9)
  })

  test.each(['', 'soon', '5', '1h later'])('refuses "%s"', (text) => {
    expect(() => parseDuration(text)).toThrow(SyntaxError)
  })
})

describe('formatDuration', () => {
  test('shows the two largest units', () => {
    expect(formatDuration(5400)).toBe('1h 30min')
    expect(formatDuration(61)).toBe('1min 1s')
    expect(formatDuration(2.5)).toBe('2.5s')
  })

  test('reads back what it wrote', () => {
    for (const seconds of [0.25, 59, 60, 3600, 5400]) {
      expect(parseDuration(formatDuration(seconds))).toBe(seconds)
    }
  })
})
