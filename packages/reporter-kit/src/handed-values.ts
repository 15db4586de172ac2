import type { FileEvent, TestApiEvent } from '@runledger/core'
import { inspect } from 'node:util'

/**
 * Reads what frameworks and third-party runners hand over. Their own types promise more than runners keep: what cannot be
 * used counts as absent.
 */
export type Fields = Record<string, unknown>

export function readFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** A single text in place of a list is a list of one. */
export function readList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** The objects of a list, each with its identity. */
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

/** Milliseconds since the Unix epoch; undefined for what is no time, and for one counted from a runner's own start. */
export function readTime(value: unknown): number | undefined {
  const isTime = typeof value === 'number' && value >= FIRST_PLAUSIBLE_MS && value < LAST_PLAUSIBLE_MS
  return isTime ? value : undefined
}

/** A length of time in milliseconds. */
export function readLength(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < LAST_PLAUSIBLE_MS ? value : undefined
}

/** A number of attempts. Each is on record; a number beyond a thousand is no count. */
export function readAttemptCount(value: unknown): number {
  return Math.min(Math.floor(readLength(value) ?? 0), 1_000)
}

type AnyEvent = TestApiEvent | FileEvent

/** What an event of each kind must have beside order and time: fields with values of the same types. */
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
  contentType: '',
  file: '',
  base64: '',
}

/** Reads an event from where user code can write too; undefined for what our functions never send. */
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

/** Of the same type: a text is not empty where the example is not, and a number is finite. */
function isLike(value: unknown, example: unknown): boolean {
  if (typeof value === 'number' && !Number.isFinite(value)) return false
  return typeof value === typeof example && (value !== '' || example === '')
}
