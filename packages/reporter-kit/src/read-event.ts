import type { FileEvent, TestApiEvent } from '@runledger/core'
import { readFields, readLength } from './handed-values'

type AnyEvent = TestApiEvent | FileEvent

/** The fields that each kind must have beside `order` and `atMs`. */
const REQUIRED: Record<AnyEvent['kind'], readonly string[]> = {
  measurement: ['name', 'value', 'passed'],
  step: ['name', 'passed', 'durationMs'],
  variable: ['name', 'value'],
  'sub-unit': ['serialNumber'],
  unit: ['serialNumber'],
  log: ['message'],
  file: ['name'],
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTime = (value: unknown): boolean => readLength(value) !== undefined
const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

const CHECKS: Record<string, (value: unknown) => boolean> = {
  order: Number.isFinite,
  atMs: isTime,
  durationMs: isTime,
  within: (value) => Array.isArray(value) && value.every(isText),
  passed: (value) => typeof value === 'boolean',
  low: Number.isFinite,
  high: Number.isFinite,
  ...Object.fromEntries(
    ['name', 'serialNumber', 'partNumber', 'revision', 'contentType'].map((field) => [field, isFilled]),
  ),
  ...Object.fromEntries(['unit', 'message', 'file', 'base64'].map((field) => [field, isText])),
}

/** Reads an event from where user code can write too. Undefined for what our functions never send. */
export function readEvent(value: unknown): AnyEvent | undefined {
  const event = readFields(value)
  const required = REQUIRED[event['kind'] as AnyEvent['kind']] as readonly string[] | undefined
  const hasAll = required && ['order', 'atMs', ...required].every((field) => event[field] !== undefined)
  const isValue = event['kind'] === 'variable' ? isText : Number.isFinite
  const fits = Object.entries({ ...CHECKS, value: isValue }).every(
    ([field, check]) => event[field] === undefined || check(event[field]),
  )
  return hasAll && fits ? (value as AnyEvent) : undefined
}
