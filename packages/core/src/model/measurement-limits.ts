/** What a measured value is compared with: the range that passes. Without a limit, every value does. */
export interface Limits {
  /** `V`, `°C`, `ms`, … */
  unit?: string | undefined
  low?: number | undefined
  high?: number | undefined
}

export function isWithin(value: number, { low, high }: Limits): boolean {
  return (low === undefined || value >= low) && (high === undefined || value <= high)
}

/** `3.3 V` */
export function formatValue(value: number, { unit }: Limits): string {
  return unit ? `${value} ${unit}` : String(value)
}

/** `3.2 to 3.4 V`, `at least 3.2 V`, `at most 3.4 V`; empty without limits. */
export function formatLimits({ low, high, unit }: Limits): string {
  if (low !== undefined && high !== undefined) return `${low} to ${formatValue(high, { unit })}`
  if (low !== undefined) return `at least ${formatValue(low, { unit })}`
  return high === undefined ? '' : `at most ${formatValue(high, { unit })}`
}
