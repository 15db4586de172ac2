import { expect, it } from 'vitest'
import { failureRate, flakeRate } from './rates'

const RESULTS = [
  { first: 'passed', last: 'passed' },
  { first: 'failed', last: 'passed' },
  { first: 'failed', last: 'failed' },
  { first: 'passed', last: 'passed' },
  { first: 'failed', last: 'failed', infrastructure: true },
] as const

it('counts failures of first attempts, without infrastructure builds', () => {
  expect(failureRate(RESULTS)).toMatchObject({ failures: 2, n: 4, rate: 0.5 })
})

it('counts retries that passed as flakes', () => {
  expect(flakeRate(RESULTS)).toMatchObject({ failures: 1, n: 4, rate: 0.25 })
})
