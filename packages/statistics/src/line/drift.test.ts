import { expect, it } from 'vitest'
import { findDrifts } from './drift'

/** Normal values from a seed: Box and Muller's method on SplitMix's mixing of a counter. */
function drawNormal(count: number, seed: number): number[] {
  let state = Math.imul(seed, 2654435761)
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  )
}

it('finds a jump of the mean near 0, with its size', () => {
  const values = drawNormal(200, 7).map((value, i) => value * 0.01 + (i < 120 ? 0 : 0.02))
  const [drift, ...others] = findDrifts(values)
  expect(others).toEqual([])
  expect(Math.abs((drift?.index ?? 0) - 120)).toBeLessThanOrEqual(3)
  expect(drift?.change).toBeCloseTo(0.02, 2)
  expect(drift?.sigmas).toBeGreaterThan(1.5)
})

it('finds a change in one of 200 stable series', () => {
  const found = Array.from({ length: 200 }, (_, i) => findDrifts(drawNormal(300, i + 1)).length)
  expect(found.filter((count) => count > 0).length).toBe(1)
})

it('finds nothing in equal values or in none', () => {
  expect(findDrifts([1, 1, 1, 1])).toEqual([])
  expect(findDrifts([])).toEqual([])
})
