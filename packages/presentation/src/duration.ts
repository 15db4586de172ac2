import { parseDurationUs } from '@runledger/protocol'

const US_PER_MS = 1000
const US_PER_SECOND = 1_000_000

/** An ISO 8601 duration as `12 ms`, `1.23 s`, `2 min 5 s`; other text unchanged. */
export function formatDuration(duration: string): string {
  const durationUs = parseDurationUs(duration)
  return durationUs === undefined ? duration : formatMicroseconds(durationUs)
}

/** Three significant digits below a minute, whole seconds above. */
export function formatMicroseconds(durationUs: number): string {
  if (durationUs === 0) return '0 s'
  if (durationUs < US_PER_MS) return `${durationUs} µs`
  if (durationUs < 999_500) return `${Math.round(durationUs / US_PER_MS)} ms`
  const seconds = durationUs / US_PER_SECOND
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`
  return formatWholeSeconds(Math.round(seconds))
}

function formatWholeSeconds(totalSeconds: number): string {
  const days = Math.floor(totalSeconds / 86_400)
  const hours = Math.floor((totalSeconds % 86_400) / 3600)
  const minutes = Math.floor((totalSeconds % 3600) / 60)
  const seconds = totalSeconds % 60
  if (days > 0) return joinParts([days, 'd'], [hours, 'h'])
  if (hours > 0) return joinParts([hours, 'h'], [minutes, 'min'])
  return joinParts([minutes, 'min'], [seconds, 's'])
}

function joinParts(...parts: [number, string][]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
