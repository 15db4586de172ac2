'use strict'

const { convert, UnknownUnitError } = require('../src/units')

describe('convert', () => {
  test.each([
    [1, 'km', 'm', 1000],
    [12, 'in', 'ft', 1],
    [1, 'lb', 'g', 453.59237],
    [90, 'min', 'h', 1.5],
  ])('turns %d %s into %s', (value, from, to, expected) => {
    expect(convert(value, from, to)).toBeCloseTo(expected, 9)
  })

  test('leaves a value in its own unit as it is', () => {
    expect(convert(0.1, 'kg', 'kg')).toBe(0.1)
  })

  test('refuses units of different quantities', () => {
    expect(() => convert(1, 'kg', 'm')).toThrow('cannot convert mass (kg) to length (m)')
  })

  test('names the unit that it does not know', () => {
    expect(() => convert(1, 'parsec', 'm')).toThrow(UnknownUnitError)
    expect(() => convert(1, 'parsec', 'm')).toThrow('unknown unit "parsec"')
  })

  test.todo('converts temperatures, which have no common zero')
})
