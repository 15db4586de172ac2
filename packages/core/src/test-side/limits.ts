import { checkKeys, checkName, checkNumber, checkText, MisuseError } from './misuse'

/** What a measured value is judged by. Limits belong to what passes; without one, any value does. */
export interface Limits {
  /** `V`, `°C`, `ms`, … */
  unit?: string | undefined
  low?: number | undefined
  high?: number | undefined
}

/** @throws MisuseError @internal */
export function checkLimits(call: string, { unit, low, high }: Limits): void {
  if (unit !== undefined) checkText(call, 'unit', unit)
  if (low !== undefined) checkNumber(call, 'low', low)
  if (high !== undefined) checkNumber(call, 'high', high)
  if (low !== undefined && high !== undefined && low > high)
    throw new MisuseError(call, { field: 'low', value: low, fix: `give at most high, which is ${high}` })
}

export const LIMIT_KEYS = ['unit', 'low', 'high']

/** @throws MisuseError */
export function checkMeasurement(call: string, name: unknown, limits: Limits): void {
  checkName(call, 'name', name)
  checkKeys(call, limits, [...LIMIT_KEYS, 'soft'])
  const { soft } = limits as { soft?: unknown }
  if (soft !== undefined && typeof soft !== 'boolean')
    throw new MisuseError(call, { field: 'soft', value: soft, fix: 'give true or false' })
  checkLimits(call, limits)
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

/** Below its call, what was expected and what came, as test frameworks write it. */
export function explainBreach(call: string, breaches: readonly (readonly [string, string])[]): string {
  const width = breaches.reduce((longest, [label]) => Math.max(longest, label.length), 0) + 1
  return [call, '', ...breaches.map(([label, text]) => `${`${label}:`.padEnd(width)} ${text}`)].join('\n')
}
