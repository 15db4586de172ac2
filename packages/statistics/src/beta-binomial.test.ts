import { describe, expect, it } from 'vitest'
import { createSequenceLikelihood } from './beta-binomial'

/** [hits, n, number of orders, probability of all of them], from LUCI's `sequence_likelihood_test.go`. */
const UNIFORM = [
  [0, 0, 1, 1],
  [0, 1, 1, 0.5],
  [1, 1, 1, 0.5],
  [0, 2, 1, 1 / 3],
  [1, 2, 2, 1 / 3],
  [2, 2, 1, 1 / 3],
  [0, 3, 1, 0.25],
  [1, 3, 3, 0.25],
  [2, 3, 3, 0.25],
  [3, 3, 1, 0.25],
  [0, 4, 1, 0.2],
  [1, 4, 4, 0.2],
  [2, 4, 6, 0.2],
  [3, 4, 4, 0.2],
  [4, 4, 1, 0.2],
] as const
const SKEWED = [
  [0, 0, 1, 1],
  [0, 1, 1, 0.625],
  [1, 1, 1, 0.375],
  [0, 2, 1, 0.5208333333333335],
  [1, 2, 2, 0.2083333333333334],
  [2, 2, 1, 0.2708333333333333],
  [0, 3, 1, 0.465029761904762],
  [1, 3, 3, 0.16741071428571436],
  [2, 3, 3, 0.14508928571428578],
  [3, 3, 1, 0.2224702380952381],
  [0, 4, 1, 0.4283168859649124],
  [1, 4, 4, 0.14685150375939848],
  [2, 4, 6, 0.11454417293233085],
  [3, 4, 4, 0.11708959899749374],
  [4, 4, 1, 0.19319783834586465],
] as const

describe("likelihood of a sequence, LUCI's vectors", () => {
  it.each(UNIFORM)('uniform prior: %d of %d', (hits, n, orders, expected) => {
    const likelihood = createSequenceLikelihood({ alpha: 1, beta: 1 })
    expect(orders * Math.exp(likelihood(hits, n))).toBeCloseTo(expected, 12)
  })

  it.each(SKEWED)('prior Beta(0.3, 0.5): %d of %d', (hits, n, orders, expected) => {
    const likelihood = createSequenceLikelihood({ alpha: 0.3, beta: 0.5 })
    expect(orders * Math.exp(likelihood(hits, n))).toBeCloseTo(expected, 12)
  })
})
