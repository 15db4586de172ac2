import { describe, expect, it } from 'vitest'
import { incompleteBeta, logGamma } from './special-functions'

describe('logGamma', () => {
  it.each([
    [1, 0],
    [2, 0],
    [0.5, Math.log(Math.sqrt(Math.PI))],
    [0.3, 1.0957979948180756],
    [11, Math.log(3_628_800)],
    [100.5, 361.4355404678],
  ])('maps %d to %d', (x, expected) => {
    expect(logGamma(x)).toBeCloseTo(expected, 9)
  })
})

describe('incompleteBeta', () => {
  it.each([
    { x: 0.3, a: 1, b: 1, expected: 0.3 },
    { x: 0.5, a: 2, b: 2, expected: 0.5 },
    { x: 0.2, a: 2, b: 3, expected: 0.1808 },
    { x: 0.9, a: 2, b: 3, expected: 0.9963 },
    { x: 0, a: 2, b: 3, expected: 0 },
    { x: 1, a: 2, b: 3, expected: 1 },
  ])('maps $x with $a and $b to $expected', ({ x, a, b, expected }) => {
    expect(incompleteBeta(x, a, b)).toBeCloseTo(expected, 12)
  })
})
