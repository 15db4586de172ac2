import { expect, it } from 'vitest'
import { formatWholeNumber } from './whole-number'

it.each([0, 7, 999, 1000, 123_456, 1_234_567, -12, -1234])('writes %s as Intl does', (count) => {
  expect(formatWholeNumber(count)).toBe(count.toLocaleString('en'))
})
