import { fractionToMicroseconds } from './time'

const NUMBER = String.raw`(\d+(?:[.,]\d+)?)`
const DURATION = new RegExp(
  `^P(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
)

const US_PER_SECOND = 1_000_000
/** Of a week, a day, an hour, a minute and a second. */
const UNIT_SECONDS = [604_800, 86_400, 3600, 60, 1]

/**
 * Parses an ISO 8601 duration into whole microseconds, rounding down. The last part may have a fraction (`PT1.5M`).
 * Undefined for anything else, and for years and months, which have no exact length.
 */
export function parseDurationUs(text: string): number | undefined {
  const parts = DURATION.exec(text)?.slice(1)
  if (!parts || text.endsWith('T') || text === 'P') return undefined
  const last = parts.findLastIndex((part) => part !== undefined)
  let durationUs = 0
  for (const [index, part] of parts.entries()) {
    if (part === undefined) continue
    const [whole, fraction] = part.split(/[.,]/)
    if (fraction !== undefined && index !== last) return undefined
    const unitSeconds = UNIT_SECONDS[index] as number
    durationUs += (Number(whole) * US_PER_SECOND + fractionToMicroseconds(fraction)) * unitSeconds
  }
  return Number.isSafeInteger(durationUs) ? durationUs : undefined
}

/** Exact ISO 8601, never in exponent notation: `PT0S`, `PT1.234S`, `PT27M15S`. `PT0S` unless positive and finite. */
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

/** Durations below a second, which most tests have; filled on demand. */
const SHORT: (string | undefined)[] = []

/** Formats milliseconds as an ISO 8601 duration, rounded to the millisecond: `PT1.234S`. */
export function formatDurationMs(durationMs: number): string {
  const ms = Math.round(durationMs)
  if (ms >= 0 && ms < 1000) return (SHORT[ms] ??= formatDurationUs(ms * 1000))
  return formatDurationUs(ms * 1000)
}

function formatSeconds(seconds: number, fractionUs: number): string {
  if (seconds === 0 && fractionUs === 0) return ''
  if (fractionUs === 0) return `${seconds}S`
  const digits = String(fractionUs).padStart(6, '0')
  return `${seconds}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}S`
}
