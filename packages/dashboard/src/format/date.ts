import { parseTimestampUs } from '@runledger/protocol'

const LOCALE = 'en-GB'
const STEPS: [limitSeconds: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
  [365 * 86_400, 30 * 86_400, 'month'],
  [Infinity, 365 * 86_400, 'year'],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** The age of a time stamp (`3 minutes ago`); other text unchanged. */
export function formatRelative(timestamp: string, nowMs: number): string {
  const timestampMs = toEpochMs(timestamp)
  if (timestampMs === undefined) return timestamp
  const seconds = (timestampMs - nowMs) / 1000
  if (Math.abs(seconds) < 10) return 'just now'
  const step = STEPS.find(([limit]) => Math.abs(seconds) < limit)
  return step ? relative.format(Math.trunc(seconds / step[1]), step[2]) : timestamp
}

/** Shows a time stamp to the millisecond with its zone, the viewer's unless another is named. */
export function formatExact(timestamp: string, timeZone?: string): string {
  return formatWith(timestamp, timeZone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZoneName: 'short',
    ...CLOCK,
  })
}

/** Shows a time stamp to the minute, in the viewer's zone unless another is named. */
export function formatMinute(timestamp: string, timeZone?: string): string {
  const { hour, minute, hourCycle } = CLOCK
  return formatWith(timestamp, timeZone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour,
    minute,
    hourCycle,
  })
}

/** Shows the day of a time stamp that stands for a day of UTC. */
export function formatDay(timestamp: string): string {
  return formatWith(timestamp, 'UTC', { day: 'numeric', month: 'short', year: 'numeric' })
}

/** Shows the time of day of a time stamp to the millisecond, in the viewer's zone unless another is named. */
export function formatClock(timestamp: string, timeZone?: string): string {
  return formatWith(timestamp, timeZone, CLOCK)
}

const CLOCK = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
} as const

function formatWith(
  timestamp: string,
  timeZone: string | undefined,
  options: Intl.DateTimeFormatOptions,
): string {
  const timestampMs = toEpochMs(timestamp)
  if (timestampMs === undefined) return timestamp
  return dateFormat({ ...options, ...(timeZone === undefined ? {} : { timeZone }) }).format(timestampMs)
}

const formats = new Map<string, Intl.DateTimeFormat>()

// Making one takes some 50 µs: with one for each of 2,000 steps the page would wait for it.
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.DateTimeFormat(LOCALE, options)
  formats.set(key, format)
  return format
}

function toEpochMs(timestamp: string): number | undefined {
  const epochUs = parseTimestampUs(timestamp)
  return epochUs === undefined ? undefined : Math.floor(epochUs / 1000)
}
