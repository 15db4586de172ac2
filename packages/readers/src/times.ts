import { formatTimestampUs, parseTimestampUs } from '@runledger/protocol'
import { type FilePath, ReadError } from './read-error'
import { compileFormat } from './time-format'

/** Reads times of a file whose zone may not be said. */
export class TimeReader {
  readonly timeZone: string
  readonly #parse: (text: string) => string | undefined
  #format: Intl.DateTimeFormat | undefined
  #hasLocal = false

  /** `format` as in `dd.MM.yyyy HH:mm:ss`; without one, ISO 8601 or milliseconds since the Unix epoch. */
  constructor(timeZone = 'UTC', format?: string) {
    this.timeZone = timeZone
    this.#parse = format === undefined ? parseIso : compileFormat(format)
  }

  /** Whether a time that was read had no zone of its own. */
  get hasLocal(): boolean {
    return this.#hasLocal
  }

  /** Whether the text is a time with a zone of its own. */
  isZoned(text: string): boolean {
    const iso = this.#parse(text.trim())
    return iso !== undefined && parseTimestampUs(iso) !== undefined
  }

  /** Microseconds since the Unix epoch; undefined for a text that is no time. */
  readUs(text: string): number | undefined {
    const iso = this.#parse(text.trim())
    if (iso === undefined) return undefined
    const us = parseTimestampUs(iso)
    if (us !== undefined) return us
    const localUs = parseTimestampUs(`${iso}Z`)
    return localUs === undefined ? undefined : this.fromLocalUs(localUs)
  }

  /** The same as ISO 8601 in UTC. */
  read(text: string): string | undefined {
    const us = this.readUs(text)
    return us === undefined ? undefined : formatTimestampUs(us)
  }

  /** Microseconds since the Unix epoch of a local time that is given as if it were UTC. */
  fromLocalUs(localUs: number): number {
    this.#hasLocal = true
    const offsetMs = this.#offsetMs(localUs / 1000)
    // Where the clock is set forward or back near that time, the offset is that of the time itself.
    return localUs - this.#offsetMs(localUs / 1000 - offsetMs) * 1000
  }

  #offsetMs(epochMs: number): number {
    this.#format ??= new Intl.DateTimeFormat('en', { timeZone: this.timeZone, ...FIELDS })
    const wholeMs = Math.floor(epochMs / 1000) * 1000
    const parts = Object.fromEntries(
      this.#format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]),
    ) as Record<keyof typeof FIELDS, number>
    const { year, month, day, hour, minute, second } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeMs
  }
}

/** Reads times without a zone at a known offset, in microseconds east of UTC. */
export class OffsetTimes extends TimeReader {
  constructor(private readonly offsetUs: number) {
    super()
  }

  override fromLocalUs(localUs: number): number {
    return localUs - this.offsetUs
  }
}

const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const

function parseIso(text: string): string | undefined {
  // A number with fewer digits is a date without separators, such as 202603050915.
  if (/^\d{13}$/.test(text)) return new Date(Number(text)).toISOString()
  const spaced = text.replace(/^(\d{4}-\d\d-\d\d)[ T]/, '$1T')
  return /^\d{4}-\d\d-\d\d$/.test(spaced) ? `${spaced}T00:00:00` : spaced
}

/** Formats microseconds since the Unix epoch as ISO 8601. `at` is the place in errors. @throws ReadError for an inexact or invalid time */
export function formatUs(us: number, at: FilePath): string {
  if (Number.isSafeInteger(Math.round(us))) return formatTimestampUs(Math.round(us))
  throw new ReadError([
    {
      path: at,
      message: `is ${us / 1e6} seconds after 1970, which is no time up to the year 2255: correct the start and the length`,
    },
  ])
}

/** Adds microseconds to a time. @throws ReadError */
export function addUs(time: string, us: number, at: FilePath): string {
  return formatUs((parseTimestampUs(time) ?? 0) + us, at)
}
