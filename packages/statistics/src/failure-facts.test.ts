import { expect, it } from 'vitest'
import { readHistoryFacts, type EarlierResult } from './failure-facts'

const HOUR_MS = 3_600_000

function result(position: number, others: Partial<EarlierResult> = {}): EarlierResult {
  return { position, failed: false, sameCommit: false, atMs: position * HOUR_MS, ...others }
}

it('has no facts about a new test', () => {
  expect(readHistoryFacts([], 0)).toEqual({
    passedOnCommit: 0,
    failedOnCommit: 0,
    failuresInRow: 0,
    hoursSincePass: undefined,
    last20: { failures: 0, n: 0 },
    last200: { failures: 0, n: 0 },
    state: 'unknown',
  })
})

it('counts failures in a row, on the commit and among the last results', () => {
  const passed = Array.from({ length: 30 }, (_, i) => result(i))
  const failed = [29, 30, 31].map((position) => result(position, { failed: true }))
  const onCommit = [
    result(32, { failed: true, sameCommit: true }),
    result(32, { failed: true, sameCommit: true }),
  ]
  expect(readHistoryFacts([...passed, ...failed, ...onCommit], 33 * HOUR_MS)).toMatchObject({
    passedOnCommit: 0,
    failedOnCommit: 2,
    failuresInRow: 5,
    hoursSincePass: 4,
    last20: { failures: 5, n: 20 },
    last200: { failures: 5, n: 35 },
    state: 'broken',
  })
})

it('accepts an old commit that was executed again', () => {
  const results = [result(1), result(5), result(2, { sameCommit: true, atMs: 6 * HOUR_MS })]
  expect(readHistoryFacts(results, 7 * HOUR_MS)).toMatchObject({ passedOnCommit: 1, hoursSincePass: 1 })
})
