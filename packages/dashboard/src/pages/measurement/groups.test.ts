import { expect, it } from 'vitest'
import { groupValues, type LineValue, LOOKS } from './groups'

function value(of: number, station: string | null, passed = true): LineValue {
  const place = { run_id: 'r', serial_number: 'S', started_at: '2026-11-20T09:30:00Z' }
  return { ...place, station, batch: null, version: null, value: of, limit_low: 0, limit_high: 9, passed }
}

it('puts the station first that differs most, and says by how much', () => {
  const values = [value(5, 'A'), value(5, 'A'), value(7, 'B'), value(7, 'B', false), value(5.2, null)]
  const [first, ...others] = groupValues(values, 'station')
  expect(first).toMatchObject({ name: 'B', n: 2, mean: 7, failed: 1, look: 0 })
  expect(first?.difference).toBeCloseTo(7 - 15.2 / 3, 9)
  expect(others.map(({ name }) => name)).toEqual(['A', null])
})

it('weighs a difference by the size of its group', () => {
  const values = [
    ...Array.from({ length: 50 }, () => value(5, 'A')),
    ...Array.from({ length: 50 }, () => value(6, 'B')),
    value(7, 'C'),
  ]
  expect(groupValues(values, 'station').map(({ name }) => name)).toEqual(['A', 'B', 'C'])
})

it('has no difference for the only group, and looks for the first ones alone', () => {
  expect(groupValues([value(5, 'A')], 'station')[0]?.difference).toBeUndefined()
  const many = Array.from({ length: 9 }, (_, index) => value(index, `S${index}`))
  expect(groupValues(many, 'station').filter(({ look }) => look !== undefined)).toHaveLength(LOOKS)
})
