import { expect, it } from 'vitest'
import { Random } from '../../../test/support/random'
import { wilsonInterval } from './intervals'
import { chanceOfPasses, executionsToProveFixed } from './prove-fixed'

it.each([
  [0.0071, 421],
  [0.05, 59],
  [0.5, 5],
  [1, 1],
  [0, undefined],
])('a failure rate of %d takes %s executions', (rate, expected) => {
  expect(executionsToProveFixed(rate)).toBe(expected)
})

it('is wrong with a probability of at most 5 %, and of more after one execution less', () => {
  for (const rate of [0.0071, 0.05, 0.5]) {
    const executions = executionsToProveFixed(rate) ?? 0
    expect(chanceOfPasses(rate, executions)).toBeLessThanOrEqual(0.05)
    expect(chanceOfPasses(rate, executions - 1)).toBeGreaterThan(0.05)
  }
})

const SIMULATIONS = 1000

it('calls at most 5 % of unfixed tests fixed, with rates estimated from the record', () => {
  const random = new Random(process.env['SOAK_SEED'] ?? 'proofs')
  let wrong = 0
  for (let drawn = 0; drawn < SIMULATIONS;) {
    const rate = 0.01 * 50 ** random.next()
    const results = random.between(20, 300)
    const failures = Array.from({ length: results }, () => random.chance(rate)).filter(Boolean).length
    // A test that never failed needs no proof.
    if (failures === 0) continue
    drawn += 1
    const needed = executionsToProveFixed(wilsonInterval(failures, results).low) ?? 0
    if (!Array.from({ length: needed }, () => random.chance(rate)).includes(true)) wrong += 1
  }
  expect(wrong / SIMULATIONS).toBeLessThanOrEqual(0.05)
})
