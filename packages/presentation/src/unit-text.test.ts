import type { PlacedMeasurement, UnitVerdict } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { describeValueLimits, describeValuePlace, explainUnitVerdict, lookOfUnitVerdict } from './unit-text'

const VERDICT: UnitVerdict = {
  procedure: { id: 'p', identifier: 'FVT', name: 'Final test' },
  outcome: 'PASS',
  runs: 1,
  failed: 0,
  passed_at: 1,
  last_run: { id: 'r', started_at: '2026-11-29T10:00:00.000Z' },
}

it.each([
  [{}, 'on first pass'],
  [{ runs: 3 }, 'in each of 3 runs'],
  [{ runs: 3, failed: 2, passed_at: 3 }, 'in run 3, after 2 failed'],
  [{ runs: 3, failed: 1, passed_at: 1 }, 'in the last of 3 runs, 1 of which failed'],
  [{ outcome: 'FAIL', failed: 1, passed_at: null }, 'in its only run'],
  [{ outcome: 'FAIL', runs: 2, failed: 2, passed_at: null }, 'in each of 2 runs'],
  [{ outcome: 'FAIL', runs: 3, failed: 1 }, 'in the last of 3 runs, 1 of which failed'],
  [{ outcome: null, runs: 0, passed_at: null }, 'units of this part are tested here'],
] as const)('says how a unit came to its verdict: %o', (change, text) => {
  expect(explainUnitVerdict({ ...VERDICT, ...change })).toBe(text)
})

it('has a word for a unit that was not tested yet', () => {
  expect(lookOfUnitVerdict({ outcome: null }).word).toBe('Not tested')
  expect(lookOfUnitVerdict({ outcome: 'FAIL' }).word).toBe('Failed')
})

it('says where a value is within its limits and among others', () => {
  const value = {
    limit_low: 4,
    limit_high: 6,
    others: { n: 1200, mean: 5.012345, standard_deviation: 0.023456, below: 0.375 },
  } as PlacedMeasurement
  expect(describeValueLimits(value)).toBe('limits 4 to 6')
  expect(describeValueLimits({ ...value, limit_low: null })).toBe('at most 6')
  expect(describeValueLimits({ ...value, limit_high: null })).toBe('at least 4')
  expect(describeValuePlace(value)).toBe('above 38 % of 1,200 others, mean 5.012 ± 0.02346')
  expect(describeValuePlace({ ...value, others: null })).toBe('no value of another unit')
})
