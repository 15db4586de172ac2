const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)$/

/**
 * Whole microseconds since the Unix epoch, rounded down, of an ISO 8601 time stamp with `Z` or an offset. Undefined for
 * impossible dates, other text, and times that cannot be exact (before 1684, after 2255).
 */
export function parseTimestampUs(text: string): number | undefined {
  const match = TIMESTAMP.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const second = Number(match[6] ?? 0)
  const offsetMinutes = parseOffsetMinutes(match[8] ?? 'Z')
  if (offsetMinutes === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute - offsetMinutes, second)
  const epochUs = date.getTime() * 1000 + fractionToMicroseconds(match[7])
  return Number.isSafeInteger(epochUs) ? epochUs : undefined
}

/** Formats microseconds since the Unix epoch as ISO 8601 in UTC: three fraction digits, six where they are needed. */
export function formatTimestampUs(epochUs: number): string {
  const ms = Math.floor(epochUs / 1000)
  const restUs = epochUs - ms * 1000
  const iso = formatTimestampMs(ms)
  return restUs === 0 ? iso : `${iso.slice(0, -1)}${String(restUs).padStart(3, '0')}Z`
}

/** The text before the milliseconds, kept because most time stamps are within the second of the one before. */
let second = { epochMs: NaN, text: '' }

/** The text of the milliseconds; filled on demand. */
const ENDINGS: string[] = []

/** Formats milliseconds since the Unix epoch as ISO 8601 in UTC with milliseconds. */
export function formatTimestampMs(epochMs: number): string {
  const wholeMs = Math.round(epochMs)
  const ms = wholeMs - second.epochMs
  if (ms >= 0 && ms < 1000) return second.text + (ENDINGS[ms] ??= formatEnding(ms))
  const iso = new Date(wholeMs).toISOString()
  second = { epochMs: Math.floor(wholeMs / 1000) * 1000, text: iso.slice(0, -4) }
  return iso
}

function formatEnding(ms: number): string {
  return `${String(ms).padStart(3, '0')}Z`
}

/** Microseconds of the fraction digits after a second's decimal point. */
export function fractionToMicroseconds(digits: string | undefined): number {
  return Number((digits ?? '').slice(0, 6).padEnd(6, '0'))
}

function parseOffsetMinutes(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
