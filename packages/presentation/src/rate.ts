import type { Rate } from '@runledger/protocol'

/** A share for people: `4.2 %`, `0.03 %`. */
export function formatShare(share: number): string {
  const percent = share * 100
  if (percent === 0 || percent >= 9.95) return `${Math.round(percent)} %`
  return `${percent >= 0.1 ? percent.toFixed(1) : percent.toPrecision(1)} %`
}

/** `12 % (3 of 25; 95 % interval 4.2 to 30 %)`. */
export function formatRate({ count, of, rate, low, high }: Rate): string {
  if (rate === null || low === null || high === null) return 'unknown (0 results)'
  const interval = `95 % interval ${formatShare(low).replace(' %', '')} to ${formatShare(high)}`
  return `${formatShare(rate)} (${count} of ${of}; ${interval})`
}
