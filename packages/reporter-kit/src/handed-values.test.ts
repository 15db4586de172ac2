import { expect, test } from 'vitest'
import {
  formatText,
  readAttemptCount,
  readFields,
  readLength,
  readList,
  readText,
  readTime,
  readEvent,
} from './handed-values'

const NOW = Date.UTC(2026, 10, 24)

test('a value of another type than text, list or object counts as absent', () => {
  expect([readText('a'), readText(''), readText(1), readText(null)]).toEqual(['a', '', undefined, undefined])
  expect([readList([1]), readList('a'), readList(''), readList(null), readList({})]).toEqual([
    [1],
    ['a'],
    [],
    [],
    [],
  ])
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

test('a number beyond a thousand is not a number of attempts', () => {
  expect([3, 2.7, -1, NaN, 1e9, 'x'].map(readAttemptCount)).toEqual([3, 2, 0, 0, 1000, 0])
})

const STAMP = { order: 1, atMs: Date.UTC(2026, 0, 1) }

test.each([
  { kind: 'measurement', name: 'rail', within: ['power'], value: 3.3, unit: 'V', low: 3.2, passed: true },
  { kind: 'step', name: 'flash', passed: false, durationMs: 12.5 },
  { kind: 'variable', name: 'firmware', value: '' },
  { kind: 'sub-unit', serialNumber: 'PCB-1' },
  { kind: 'unit', serialNumber: 'U-1', partNumber: 'P', revision: 'A', batchNumber: 'L' },
  { kind: 'log', message: '' },
  { kind: 'file', name: 'shot', file: '1.png', contentType: '' },
])('$kind is an event', (fields) => {
  const event = { ...fields, ...STAMP }
  expect(readEvent(event)).toBe(event)
})

const MEASUREMENT = { ...STAMP, kind: 'measurement', name: 'rail', value: 3.3, passed: true }

test.each([
  ['no object', 'mine'],
  ['of no kind', STAMP],
  ['of an unknown kind', { ...MEASUREMENT, kind: 'other' }],
  ['of a kind that every object has', { ...MEASUREMENT, kind: 'constructor' }],
  ['without a time', { ...MEASUREMENT, atMs: undefined }],
  ['of a time beyond all clocks', { ...MEASUREMENT, atMs: 1e300 }],
  ['without a name', { ...MEASUREMENT, name: '' }],
  ['a measurement without a number', { ...MEASUREMENT, value: 'high' }],
  ['a measurement that is not a number', { ...MEASUREMENT, value: NaN }],
  ['a measurement with an invalid limit', { ...MEASUREMENT, low: null }],
  ['in steps that have no names', { ...MEASUREMENT, within: [1] }],
  ['a step that never ended', { ...STAMP, kind: 'step', name: 'flash', passed: true }],
  ['a variable with a number', { ...STAMP, kind: 'variable', name: 'count', value: 1 }],
])('%s is not an event', (_, value) => {
  expect(readEvent(value)).toBeUndefined()
})
