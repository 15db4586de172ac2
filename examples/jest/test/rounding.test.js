'use strict'

const { formatDuration } = require('../src/duration')
const { convert } = require('../src/units')

// Asks for more than the library does: run on demand, the second test fails, to show what a failed run looks like.
const demonstrate = process.env.EXAMPLE_FAIL === '1' ? test : test.skip

describe('rounding', () => {
  demonstrate('a conversion there and back is exact', () => {
    console.warn('floating point: 0.3 ft through inches and back')
    expect(convert(convert(0.3, 'ft', 'in'), 'in', 'ft')).toBe(0.3)
    expect(convert(convert(0.1, 'mi', 'cm'), 'cm', 'mi')).toBe(0.1)
  })

  demonstrate('a duration just below a minute becomes a minute', () => {
    expect(formatDuration(59.9996)).toBe('1min')
  })
})
