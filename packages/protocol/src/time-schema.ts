import * as z from 'zod'
import { parseTimestampUs } from './time'

/** An ISO 8601 time stamp with `Z` or an offset, kept as text. */
export const TimestampSchema = z
  .string()
  .refine(
    (text) => parseTimestampUs(text) !== undefined,
    'must be an ISO 8601 time with Z or an offset, such as 2026-11-20T09:30:00.000Z',
  )
  .meta({ format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] })

export const TimeZoneSchema = z
  .string()
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Oslo or UTC')

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
