import type { LineMeasurement, RuleSet } from '@runledger/protocol'
import { describeRule, formatCount } from '@runledger/presentation'
import { formatYield } from '../../format/line'

export const RULE_SET_NAMES: Readonly<Record<RuleSet, string>> = {
  western_electric: 'Western Electric',
  nelson: 'Nelson',
}

/** Share of the values of a stable process that break a rule (docs/statistics.md#control). */
const FALSE_ALARMS: Readonly<Record<RuleSet, number>> = { western_electric: 0.016, nelson: 0.023 }

export interface BrokenRule {
  rule: number
  text: string
  /** Indices of the values that complete its pattern, in their order. */
  indices: number[]
}

/** The broken rules in the order of their numbers. */
export function listBrokenRules({ violations, rules }: LineMeasurement): BrokenRule[] {
  const numbers = [...new Set(violations.map(({ rule }) => rule))].toSorted((one, other) => one - other)
  return numbers.map((rule) => ({
    rule,
    text: describeRule(rule, rules),
    indices: violations.filter((one) => one.rule === rule).map(({ index }) => index),
  }))
}

export interface Verdict {
  /** The answer in one word or two. */
  word: string
  tone: 'good' | 'warn' | 'bad' | 'quiet'
  text: string
}

/** Whether the process is in control, and why. */
export function judgeControl(found: LineMeasurement): Verdict {
  const { in_control: isInControl, n, violations, rules } = found
  const name = RULE_SET_NAMES[rules]
  if (isInControl === null)
    return { word: 'Unknown', tone: 'quiet', text: 'Control limits need at least two values.' }
  if (isInControl)
    return {
      word: 'Yes',
      tone: 'good',
      text: `No ${name} rule is broken in ${formatCount(n, 'value')}.`,
    }
  const violating = new Set(violations.map(({ index }) => index)).size
  return {
    word: 'No',
    tone: 'warn',
    text:
      `${violating.toLocaleString('en')} of ${formatCount(n, 'value')} (${formatYield(violating / n)}) break a ${name} rule. ` +
      `In a stable process about ${formatYield(FALSE_ALARMS[rules])} of the values do.`,
  }
}

/** The least index that is commonly called capable. */
const CAPABLE = 1.33

/** Whether the process is capable: by Cpk if it is in control. Otherwise there is no answer. */
export function judgeCapability(found: LineMeasurement): Verdict {
  const { overall, within, limits, in_control: isInControl } = found
  if (limits.low === null && limits.high === null)
    return { word: 'Unknown', tone: 'quiet', text: 'The measurement has no limits.' }
  if (!overall) return { word: 'Unknown', tone: 'quiet', text: 'It needs at least two values that differ.' }
  if (isInControl === null)
    return {
      word: 'No answer',
      tone: 'quiet',
      text: 'Control is unknown: control limits need two values up to the chosen day.',
    }
  if (!within || !isInControl)
    return {
      word: 'No answer',
      tone: 'warn',
      text: 'A process that is not in control has no Cp and no Cpk. Pp and Ppk say how it performed in this period, not how it will.',
    }
  const { low, high } = within.centered
  if (low >= CAPABLE) return { word: 'Yes', tone: 'good', text: `The interval of Cpk lies above ${CAPABLE}.` }
  if (high < CAPABLE) return { word: 'No', tone: 'bad', text: `The interval of Cpk lies below ${CAPABLE}.` }
  return {
    word: 'Not proven',
    tone: 'quiet',
    text: `The interval of Cpk includes ${CAPABLE}: more values are needed to tell.`,
  }
}

/** Whether the values are normal, which all intervals of capability assume. */
export function judgeNormality({ normality, n }: LineMeasurement): string {
  if (!normality) return 'Normal? Unknown: the test needs eight values that differ.'
  const { p_value: p, statistic } = normality
  const test = `p ${formatP(p)} (Anderson-Darling A² = ${statistic.toFixed(2)}, n = ${n.toLocaleString('en')})`
  return p < 0.05
    ? `Normal? No: ${test}. The intervals assume normal values, so they are rough here.`
    : `Normal? No evidence against it: ${test}.`
}

export function formatP(p: number): string {
  return p < 0.0001 ? '< 0.0001' : `= ${p.toPrecision(2)}`
}
