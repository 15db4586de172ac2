import type { DurationChange, Rate } from '@runledger/protocol'
import { formatMicroseconds, formatCount } from '@runledger/presentation'

/** A share of 1 as per cent, two digits that count: `0.31 %`, `3.1 %`, `31 %`. */
export function formatPercent(share: number): string {
  const percent = share * 100
  if (percent === 0 || percent >= 9.95) return `${Math.round(percent)} %`
  return `${percent.toFixed(percent >= 0.995 ? 1 : 2)} %`
}

/** The rate alone, a dash without a sample. */
export function formatRate({ rate }: Rate): string {
  return rate === null ? '–' : formatPercent(rate)
}

/** What stands behind a rate: `1.2 to 8.9 %, n = 62`. */
export function formatInterval({ of, low, high }: Rate): string {
  if (low === null || high === null) return 'no sample'
  return `${formatPercent(low).replace(' %', '')} to ${formatPercent(high)}, n = ${of.toLocaleString('en')}`
}

/** A duration in milliseconds to read at a glance, a dash where there is none. */
export function formatMs(durationMs: number | null): string {
  return durationMs === null ? '–' : formatMicroseconds(Math.round(durationMs * 1_000))
}

/** By how much a test got slower or faster: `+35 %`. */
export function formatRatio({ ratio }: Pick<DurationChange, 'ratio'>): string {
  return `${ratio < 0 ? '−' : '+'}${Math.round(Math.abs(ratio) * 100)} %`
}

/** Minutes lost: `12 min`, `3.2 h`. */
export function formatMinutes(minutes: number): string {
  return minutes >= 120 ? `${(minutes / 60).toFixed(1)} h` : `${Math.round(minutes)} min`
}

const LETTERS: [letter: string, singular: string, plural: string][] = [
  ['p', 'passed', 'passed'],
  ['r', 'passed on a retry', 'passed on a retry'],
  ['f', 'failed', 'failed'],
  ['i', 'failed in an infrastructure build', 'failed in infrastructure builds'],
  ['s', 'skipped', 'skipped'],
]

/** The last results in words: `Last 60 results: 57 passed, 3 failed`. */
export function describeRecent(recent: string): string {
  const counts = LETTERS.map(([letter, singular, plural]) => {
    const count = [...recent].filter((one) => one === letter).length
    return count === 0 ? '' : `${count} ${count === 1 ? singular : plural}`
  })
  return `Last ${formatCount(recent.length, 'result')}: ${counts.filter((text) => text !== '').join(', ')}`
}
