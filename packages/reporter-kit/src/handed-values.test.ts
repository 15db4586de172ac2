import { expect, test } from 'vitest'
import {
  formatText,
  readAttemptCount,
  readFields,
  readLength,
  readList,
  readText,
  readTime,
} from './handed-values'

const NOW = Date.UTC(2026, 10, 24)

test('what is no text, list or object counts as absent', () => {
  expect([readText('a'), readText(''), readText(1), readText(null)]).toEqual(['a', '', undefined, undefined])
  expect([readList([1]), readList('a'), readList(null), readList({})]).toEqual([[1], ['a'], [], []])
  expect([readFields({ a: 1 }), readFields(null), readFields('a')]).toEqual([{ a: 1 }, {}, {}])
})

test('any value has a text', () => {
  expect([formatText('a'), formatText(undefined), formatText(null), formatText({ a: 1 })]).toEqual([
    'a',
    '',
    '',
    '{ a: 1 }',
  ])
})

test('a time is one since the epoch, not one since the start of a runner', () => {
  expect(readTime(NOW)).toBe(NOW)
  for (const value of [633.6, 0, -NOW, NaN, Infinity, 1e300, String(NOW), null])
    expect(readTime(value)).toBeUndefined()
})

test('a length of time is neither negative nor endless', () => {
  expect([readLength(0), readLength(0.5)]).toEqual([0, 0.5])
  for (const value of [-1, NaN, Infinity, 1e300, '1', null]) expect(readLength(value)).toBeUndefined()
})

test('a number beyond a thousand is no number of attempts', () => {
  expect([3, 2.7, -1, NaN, 1e9, 'x'].map(readAttemptCount)).toEqual([3, 2, 0, 0, 1000, 0])
})
