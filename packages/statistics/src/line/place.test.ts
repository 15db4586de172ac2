import { expect, it } from 'vitest'
import { placeAmong } from './place'

it('places a value among others, with quartiles as R computes them', () => {
  // quantile(c(1, 2, 3, 4, 10)) and quantile(c(1, 2, 3, 4)) in R 4.
  expect(placeAmong(3.5, [10, 1, 3, 2, 4])).toMatchObject({
    n: 5,
    mean: 4,
    min: 1,
    lowQuartile: 2,
    median: 3,
    highQuartile: 4,
    max: 10,
    below: 0.6,
  })
  expect(placeAmong(0, [4, 3, 2, 1])).toMatchObject({
    lowQuartile: 1.75,
    median: 2.5,
    highQuartile: 3.25,
    below: 0,
  })
})

it('counts equal values half, and knows no place without others', () => {
  expect(placeAmong(5, [5, 5])).toMatchObject({ below: 0.5, standardDeviation: 0 })
  expect(placeAmong(5, [4])).toMatchObject({ below: 1, standardDeviation: undefined })
  expect(placeAmong(5, [])).toBeUndefined()
})
