import { expect, it } from 'vitest'
import { findTrend } from './trend'

function drift(day: number, sigmas: number) {
  const started_at = `2026-11-${String(day).padStart(2, '0')}T00:00:00Z`
  return {
    index: day,
    started_at,
    mean_before: day,
    mean_after: day + sigmas,
    sigmas,
    p_value: 0,
    began_with: [],
  }
}

it('takes the last changes in one direction together', () => {
  const trend = findTrend([drift(1, 2), drift(3, -1.5), drift(5, 1.2), drift(9, 1.3)])
  expect(trend).toMatchObject({ first: { index: 5 }, last: { index: 9 }, steps: 2 })
  expect(trend?.sigmas).toBeCloseTo(2.5, 9)
})

it('is the only change, or none', () => {
  expect(findTrend([drift(4, -2)])).toMatchObject({ first: { index: 4 }, sigmas: -2, steps: 1 })
  expect(findTrend([])).toBeUndefined()
})
