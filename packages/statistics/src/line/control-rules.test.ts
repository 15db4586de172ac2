import { expect, it } from 'vitest'
import { findViolations, type RuleSet } from './control-rules'

const repeat = (value: number, times: number) => Array.from({ length: times }, () => value)

/** Places of the values that break a rule, counted from 1 as qcc does. */
function placesOf(set: RuleSet, rule: number, values: readonly number[]): number[] {
  const violations = findViolations(values, { center: 0, sigma: 1 }, set)
  return violations.filter((violation) => violation.rule === rule).map(({ index }) => index + 1)
}

// Source of the numbers: luca-scr/qcc, `tests/testthat/test-rules.R`.
it.each<{ set: RuleSet; rule: number; values: number[]; places: number[] }>([
  { set: 'western_electric', rule: 1, values: [0, 3.2, -3.5, 2.9], places: [2, 3] },
  { set: 'western_electric', rule: 2, values: [0, 2.5, 1, 2.6, 0], places: [4] },
  { set: 'western_electric', rule: 3, values: [0, 1.2, 1.3, 0.2, 1.4, 1.5], places: [6] },
  { set: 'western_electric', rule: 4, values: [...repeat(-1, 8), 1], places: [8] },
  { set: 'western_electric', rule: 1, values: [...repeat(2.5, 7), 3.2], places: [8] },
  { set: 'western_electric', rule: 2, values: [...repeat(2.5, 7), 3.2], places: [3, 4, 5, 6, 7, 8] },
  { set: 'western_electric', rule: 3, values: [...repeat(2.5, 7), 3.2], places: [5, 6, 7, 8] },
  { set: 'western_electric', rule: 4, values: [...repeat(2.5, 7), 3.2], places: [8] },
  { set: 'nelson', rule: 1, values: [0, 3.2, -3.4, 3], places: [2, 3] },
  { set: 'nelson', rule: 2, values: [...repeat(0.5, 10), ...repeat(-0.5, 10)], places: [9, 10, 19, 20] },
  {
    set: 'nelson',
    rule: 3,
    values: [1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1],
    places: [6, 7, 13, 14],
  },
  {
    set: 'nelson',
    rule: 4,
    values: [1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6, 8, 7, 9, 8],
    places: [14, 15],
  },
  { set: 'nelson', rule: 5, values: [0, 2.3, 0.4, 2.2, -2.4, -0.2, -2.5], places: [4, 7] },
  {
    set: 'nelson',
    rule: 6,
    values: [1.2, 1.3, 0.2, 1.4, 1.5, -1.2, -1.3, -0.1, -1.4, -1.5],
    places: [5, 10],
  },
  { set: 'nelson', rule: 7, values: [...repeat(0.3, 16), 1.2], places: [15, 16] },
  { set: 'nelson', rule: 8, values: [1.2, -1.3, 1.1, -1.4, 1.5, -1.2, 1.3, -1.1, 0.2], places: [8] },
  { set: 'nelson', rule: 8, values: repeat(1.2, 8), places: [] },
])('finds rule $rule of $set at $places', ({ set, rule, values, places }) => {
  expect(placesOf(set, rule, values)).toEqual(places)
})

it('finds nothing among equal values', () => {
  expect(findViolations([1, 1, 1, 1, 1, 1, 1, 1, 1], { center: 1, sigma: 0 })).toEqual([])
})
