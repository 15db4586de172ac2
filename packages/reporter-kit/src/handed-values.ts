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
  return typeof value === 'string' ? [value] : []
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
