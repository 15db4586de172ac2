import { z } from 'zod'
import { fractionToMicroseconds } from './time'

const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d+))?S)?)?$/

const US_PER_SECOND = 1_000_000

/**
 * Parses an ISO 8601 duration into whole microseconds; digits beyond the microsecond are cut.
 * Returns undefined for anything else. Years and months have no exact length and are refused.
 */
export function parseDurationUs(text: string): number | undefined {
  const match = DURATION.exec(text)
  if (!match || text.endsWith('T') || text === 'P') return undefined
  const [weeks, days, hours, minutes, seconds] = match.slice(1, 6).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const wholeSeconds = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
  const durationUs = wholeSeconds * US_PER_SECOND + fractionToMicroseconds(match[6])
  return Number.isSafeInteger(durationUs) ? durationUs : undefined
}

/**
 * Formats whole microseconds as an ISO 8601 duration, exactly and never in exponent notation:
 * `PT0S`, `PT1.234S`, `PT27M15S`. Anything that is not a positive finite number is `PT0S`.
 */
export function formatDurationUs(durationUs: number): string {
  const us = Number.isFinite(durationUs)
    ? Math.min(Math.max(Math.round(durationUs), 0), Number.MAX_SAFE_INTEGER)
    : 0
  const totalSeconds = Math.floor(us / US_PER_SECOND)
  const hours = Math.floor(totalSeconds / 3600)
  const minutes = Math.floor((totalSeconds % 3600) / 60)
  const seconds = formatSeconds(totalSeconds % 60, us % US_PER_SECOND)
  const text = `${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds}`
  return `PT${text || '0S'}`
}

/** Formats milliseconds as an ISO 8601 duration, rounded to the millisecond: `PT1.234S`. */
export function formatDurationMs(durationMs: number): string {
  return formatDurationUs(Math.round(durationMs) * 1000)
}

function formatSeconds(seconds: number, fractionUs: number): string {
  if (seconds === 0 && fractionUs === 0) return ''
  if (fractionUs === 0) return `${seconds}S`
  const digits = String(fractionUs).padStart(6, '0')
  return `${seconds}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}S`
}

/** An ISO 8601 duration, kept as text. */
export const DurationSchema = z
  .string()
  .refine(
    (text) => parseDurationUs(text) !== undefined,
    'must be an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT27M15S',
  )
