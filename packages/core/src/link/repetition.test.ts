import { expect, test } from 'vitest'
import { isRepetition } from './repetition'

test('a reporter repeats another one of the same execution with equal options', () => {
  const [execution, other] = [{}, {}]
  expect(isRepetition(execution, { group: 'a', reportVariables: { bench: 1 } })).toBe(false)
  expect(isRepetition(execution, { group: 'a', reportVariables: { bench: 1 } })).toBe(true)
  expect(isRepetition(execution, { group: 'a', reportVariables: { bench: 2 } })).toBe(false)
  expect(isRepetition(execution, { group: 'a', reportVariables: { bench: 2 } })).toBe(true)
  expect(isRepetition(other, { group: 'a', reportVariables: { bench: 1 } })).toBe(false)
})
