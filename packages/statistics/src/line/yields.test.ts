import { expect, it } from 'vitest'
import { pareto } from './pareto'
import { rolledYield, yieldOf } from './yields'

it('has the interval of the passed units', () => {
  expect(yieldOf(0, 0)).toEqual({ passed: 0, n: 0, rate: undefined, low: 0, high: 1 })
  // Newcombe (1998), table I, method 3: 81 of 263.
  expect(yieldOf(81, 263)).toMatchObject({ low: expect.closeTo(0.2553, 4), high: expect.closeTo(0.3662, 4) })
})

it('rolls yields over procedures, and knows none without units in each', () => {
  expect(rolledYield([yieldOf(9, 10), yieldOf(8, 10)])).toBeCloseTo(0.72, 12)
  expect(rolledYield([yieldOf(9, 10), yieldOf(0, 0)])).toBeUndefined()
})

it('sorts what fails most, with shares that add up', () => {
  const rows = pareto([
    { name: 'a', failures: 1 },
    { name: 'b', failures: 6 },
    { name: 'c', failures: 3 },
  ])
  expect(rows.map(({ name, share, cumulative }) => [name, share, cumulative])).toEqual([
    ['b', 0.6, 0.6],
    ['c', 0.3, 0.9],
    ['a', 0.1, 1],
  ])
})
