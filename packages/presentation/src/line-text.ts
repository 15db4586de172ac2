import type { LineMeasurement, RuleSet } from '@runledger/protocol'
import { formatCount } from './number'

type Limits = LineMeasurement['limits']
type Drift = LineMeasurement['drifts'][number]
/** Marks foreign text, for example as code in Markdown. */
type Quote = (text: string) => string

const asIs: Quote = (text) => text

/** What each rule of a control chart looks for, by its number from 1. */
const RULES: Readonly<Record<RuleSet, readonly string[]>> = {
  western_electric: [
    'a value beyond 3 sigma',
    '2 of 3 values beyond 2 sigma on one side',
    '4 of 5 values beyond 1 sigma on one side',
    '8 values in a row on one side of the center',
  ],
  nelson: [
    'a value beyond 3 sigma',
    '9 values in a row on one side of the center',
    '6 values in a row that rise, or that fall',
    '14 values in a row that alternate',
    '2 of 3 values beyond 2 sigma on one side',
    '4 of 5 values beyond 1 sigma on one side',
    '15 values in a row within 1 sigma',
    '8 values in a row beyond 1 sigma, on both sides',
  ],
}

export function describeRule(rule: number, rules: RuleSet): string {
  return RULES[rules][rule - 1] ?? `rule ${rule}`
}

/** A statistic with four digits and its unit: `5.012 V`; `?` for none. */
export function formatStatistic(value: number | null, unit: string | null = null): string {
  if (value === null) return '?'
  const digits = String(Number(value.toPrecision(4))).replace('-', '−')
  return unit === null ? digits : `${digits} ${unit}`
}

/** `at least 4.9 V, at most 5.1 V`, or `none`. Limits keep all their digits. */
export function formatLimitPair({ low, high }: Limits, unit: string | null): string {
  const end = unit === null ? '' : ` ${unit}`
  const kept = [
    ...(low === null ? [] : [`at least ${low}${end}`]),
    ...(high === null ? [] : [`at most ${high}${end}`]),
  ]
  return kept.length === 0 ? 'none' : kept.join(', ')
}

/** Whether a process is in control, in a sentence or two. */
export function describeControl(found: LineMeasurement, quote = asIs): string {
  const { in_control: isInControl, rules, violations, values } = found
  if (isInControl === null) return 'Unknown: control limits need at least two values.'
  if (isInControl) return `Yes: none of ${formatCount(values.length, 'value')} breaks a rule.`
  const [first] = violations
  const at = first && values[first.index]
  const breaking = new Set(violations.map(({ index }) => index)).size
  const where =
    first && at
      ? ` The first at ${at.started_at} (${quote(at.serial_number)}): ${describeRule(first.rule, rules)}.`
      : ''
  return `No: ${breaking} of ${formatCount(values.length, 'value')} ${breaking === 1 ? 'breaks' : 'break'} a rule.${where}`
}

/** Whether a process is capable, with those indices that are valid. */
export function describeCapability({ within, overall, in_control: isInControl, n }: LineMeasurement): string {
  if (!overall) return 'Unknown: there are no limits, or all values are equal.'
  const index = (name: string, { value, low, high }: { value: number; low: number; high: number }) =>
    `${name} ${formatStatistic(value)} (95 % interval ${formatStatistic(low)} to ${formatStatistic(high)})`
  const indices = [
    ...(within?.spread ? [index('Cp', within.spread)] : []),
    ...(within ? [index('Cpk', within.centered)] : []),
    ...(overall.spread ? [index('Pp', overall.spread)] : []),
    index('Ppk', overall.centered),
  ]
  const why = isInControl === false ? 'There is no Cpk while the process is not in control. ' : ''
  return `${why}${indices.join(', ')}; n = ${n}.`
}

/** When the mean changed, and what began there. */
export function describeDrift(drift: Drift, unit: string | null, quote = asIs): string {
  const { mean_before: before, mean_after: after, began_with: began } = drift
  const change = `${formatStatistic(before, unit)} to ${formatStatistic(after, unit)}`
  const cause = began.length === 0 ? '' : `, where ${began.map(quote).join(' and ')} began`
  return `The mean changed from ${change} at ${drift.started_at}${cause} (${formatStatistic(drift.sigmas)} sigma, p = ${drift.p_value.toPrecision(2)}).`
}
