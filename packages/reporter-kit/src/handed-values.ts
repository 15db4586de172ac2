import type { FileEvent, TestApiEvent } from '@runledger/core'
import { inspect } from 'node:util'

/** Reads values from frameworks and third-party runners, whose types promise too much: unusable values count as absent. */
export type Fields = Record<string, unknown>

export function readFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** A single text counts as a list of one. */
export function readList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** With their identities. */
export function readObjects(value: unknown): Fields[] {
  return readList(value).filter((each) => typeof each === 'object' && each !== null) as Fields[]
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function formatText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : inspect(value)
}

const FIRST_PLAUSIBLE_MS = Date.UTC(2000, 0, 1)
const LAST_PLAUSIBLE_MS = Date.UTC(2100, 0, 1)

/** Undefined for an invalid time, and for one counted from a runner's own start. */
export function readTime(value: unknown): number | undefined {
  const isTime = typeof value === 'number' && value >= FIRST_PLAUSIBLE_MS && value < LAST_PLAUSIBLE_MS
  return isTime ? value : undefined
}

export function readLength(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < LAST_PLAUSIBLE_MS ? value : undefined
}

/** Each attempt is recorded; more than a thousand is not a count. */
export function readAttemptCount(value: unknown): number {
  return Math.min(Math.floor(readLength(value) ?? 0), 1_000)
}

type AnyEvent = TestApiEvent | FileEvent

/** Required fields of each kind, with values of their types. */
const EXAMPLES: Record<AnyEvent['kind'], Fields> = {
  measurement: { name: 'x', value: 0, passed: true },
  step: { name: 'x', passed: true, durationMs: 0 },
  variable: { name: 'x', value: '' },
  'sub-unit': { serialNumber: 'x' },
  unit: { serialNumber: 'x' },
  log: { message: '' },
  file: { name: 'x' },
}
const OPTIONAL: Fields = {
  unit: '',
  low: 0,
  high: 0,
  partNumber: 'x',
  revision: 'x',
  batchNumber: 'x',
  contentType: '',
  file: '',
  base64: '',
}

/** Reads an event from a place that user code can write to; undefined if our functions never send it. */
export function readEvent(value: unknown): AnyEvent | undefined {
  const event = readFields(value)
  const kind = formatText(event['kind']) as AnyEvent['kind']
  const example = Object.hasOwn(EXAMPLES, kind) ? EXAMPLES[kind] : undefined
  const { within = [], order, atMs, durationMs = 0 } = event
  const fits = Object.entries({ ...OPTIONAL, ...example }).every(
    ([field, like]) => isLike(event[field], like) || (event[field] === undefined && field in OPTIONAL),
  )
  const isPlaced = Array.isArray(within) && within.every((name) => typeof name === 'string')
  const isTimed = readLength(atMs) !== undefined && readLength(durationMs) !== undefined
  return example && fits && isPlaced && isTimed && Number.isFinite(order) ? (value as AnyEvent) : undefined
}

/** Texts are not empty unless the example is, and numbers are finite. */
function isLike(value: unknown, example: unknown): boolean {
  if (typeof value === 'number' && !Number.isFinite(value)) return false
  return typeof value === typeof example && (value !== '' || example === '')
}
