import { expect, test } from 'vitest'
import { readEvent } from './read-event'

const STAMP = { order: 1, atMs: Date.UTC(2026, 0, 1) }

test.each([
  { kind: 'measurement', name: 'rail', within: ['power'], value: 3.3, unit: 'V', low: 3.2, passed: true },
  { kind: 'step', name: 'flash', passed: false, durationMs: 12.5 },
  { kind: 'variable', name: 'firmware', value: '' },
  { kind: 'sub-unit', serialNumber: 'PCB-1' },
  { kind: 'unit', serialNumber: 'U-1', partNumber: 'P', revision: 'A' },
  { kind: 'log', message: '' },
  { kind: 'file', name: 'shot', file: '1.png', contentType: 'image/png' },
])('$kind is an event', (fields) => {
  const event = { ...fields, ...STAMP }
  expect(readEvent(event)).toBe(event)
})

const MEASUREMENT = { ...STAMP, kind: 'measurement', name: 'rail', value: 3.3, passed: true }

test.each([
  ['no object', 'mine'],
  ['of no kind', STAMP],
  ['of an unknown kind', { ...MEASUREMENT, kind: 'other' }],
  ['without a time', { ...MEASUREMENT, atMs: undefined }],
  ['of a time beyond all clocks', { ...MEASUREMENT, atMs: 1e300 }],
  ['without a name', { ...MEASUREMENT, name: '' }],
  ['a measurement without a number', { ...MEASUREMENT, value: 'high' }],
  ['a measurement that is no number', { ...MEASUREMENT, value: NaN }],
  ['a measurement with a limit that is none', { ...MEASUREMENT, low: null }],
  ['in steps that have no names', { ...MEASUREMENT, within: [1] }],
  ['a step that never ended', { ...STAMP, kind: 'step', name: 'flash', passed: true }],
  ['a variable with a number', { ...STAMP, kind: 'variable', name: 'count', value: 1 }],
])('%s is no event', (_, value) => {
  expect(readEvent(value)).toBeUndefined()
})
