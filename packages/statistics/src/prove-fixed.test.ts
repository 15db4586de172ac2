import { expect, it } from 'vitest'
import { executionsToProveFixed } from './prove-fixed'

it.each([
  [0.0071, 421],
  [0.05, 59],
  [0.5, 5],
  [1, 1],
  [0, undefined],
])('a failure rate of %d takes %s executions', (rate, expected) => {
  expect(executionsToProveFixed(rate)).toBe(expected)
})
