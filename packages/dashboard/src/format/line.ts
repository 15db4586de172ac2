import type { Rate } from '@runledger/protocol'
import { formatCount, formatNumber } from '@runledger/presentation'

/** A yield to a tenth of a per cent. One below 100 % is never rounded to it: `99.9 %`. */
export function formatYield(share: number | null): string {
  if (share === null) return '–'
  const percent = Math.min(Math.round(share * 1000) / 10, share < 1 ? 99.9 : 100)
  return `${percent === 100 || percent === 0 ? percent : percent.toFixed(1)} %`
}

/** The interval and the sample size of a yield: `91.2 to 99.4 %, n = 62 units`. */
export function formatYieldInterval({ of, low, high }: Rate, noun = 'unit'): string {
  if (low === null || high === null) return `no ${noun}s`
  return `${formatYield(low).replace(' %', '')} to ${formatYield(high)}, n = ${formatCount(of, noun)}`
}

/** A computed number of a measurement with five digits that count, and its unit. */
export function formatAmount(value: number | null, unit: string | null): string {
  if (value === null) return '–'
  const text = formatNumber(Number(value.toPrecision(5)))
  return unit === null || unit === '' ? text : `${text} ${unit}`
}

/** A difference with its sign, three digits that count. */
export function formatDifference(value: number, unit: string | null): string {
  const text = formatAmount(Number(value.toPrecision(3)), unit)
  return value > 0 ? `+${text}` : text
}

/** Values of units whose measurement has or has not a name of its own. */
export function nameMeasurement({
  phase,
  measurement,
}: {
  phase: string
  measurement: string | null
}): string {
  return measurement === null || measurement === phase ? phase : measurement
}
