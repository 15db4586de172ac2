import type { Rate, YieldRow } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { failedRunsLink, findWorst, nameRow } from './yield-rows'

function row(key: string | null, count: number, of: number): YieldRow {
  const rate: Rate = { count, of, rate: of === 0 ? null : count / of, low: null, high: null }
  return {
    key,
    id: null,
    first_pass: rate,
    second_pass: rate,
    last_pass: rate,
    first_pass_of_day: rate,
    runs: rate,
  }
}

it('finds the row with the lowest yield among those with five units', () => {
  const rows = [row('A', 9, 10), row('B', 3, 5), row('C', 0, 4), row(null, 0, 9), row('D', 0, 0)]
  expect(findWorst(rows)?.key).toBe('B')
  expect(findWorst([row('A', 5, 5), row('B', 0, 4)])).toBeUndefined()
})

it('names rows', () => {
  expect(nameRow('day', '2026-11-27')).toBe('27 Nov 2026')
  expect(nameRow('week', '2026-11-23')).toBe('Week of 23 Nov 2026')
  expect(nameRow('batch', 'SB-1')).toBe('SB-1')
  expect(nameRow('station', null)).toBe('no station')
})

it('leads to the failed runs of a week, a day, a batch and a station', () => {
  expect(failedRunsLink('p', 'week', { key: '2026-11-30', id: null })?.search).toMatchObject({
    procedure: 'p',
    outcome: ['FAIL', 'ERROR', 'TIMEOUT'],
    after: '2026-11-30',
    before: '2026-12-06',
  })
  expect(failedRunsLink('p', 'station', { key: 'Bench 2', id: 's2' })?.search).toMatchObject({
    station: 's2',
  })
  expect(failedRunsLink('p', 'revision', { key: 'B', id: null })).toBeUndefined()
  expect(failedRunsLink('p', 'batch', { key: null, id: null })).toBeUndefined()
})
