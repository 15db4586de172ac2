import type { MeasurementOutcome, ValidatorInputSchema } from '@runledger/protocol'
import type * as z from 'zod'

type Validator = z.input<typeof ValidatorInputSchema>

export interface Checks {
  lower_limit?: number
  upper_limit?: number
  validators?: Validator[]
}

const NUMBER = String.raw`-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?inf`
const RANGE = new RegExp(
  `^(?:(${NUMBER}) <= )?(Marginal:(?:${NUMBER}) <= )?x( <= Marginal:(?:${NUMBER}))?(?: <= (${NUMBER}))?$`,
)
const EQUAL = /^x == (.+)$/s
const EQUAL_TEXT = /^'x' is equal to '(.*)'$/s
const EXACTLY = /^'x' matches \/\^(.*)\$\/$/s
const MATCH = /^'x' matches \/(.*)\/$/s
const WITHIN = new RegExp(`^'x' is within (${NUMBER})% of (${NUMBER})\\.?(?: Marginal: .*)?$`)

/** Validators as OpenHTF writes them: texts of Python's `str`. Unknown ones are kept as expressions. */
export function readValidators(texts: readonly string[], outcome: MeasurementOutcome): Checks {
  const checks: Checks = {}
  const validators: Validator[] = []
  // The outcome follows from all of them together.
  const each = texts.length === 1 || outcome === 'PASS' ? outcome : undefined
  for (const text of texts) {
    const { limits, validator } = readValidator(text)
    // A second range has no place in the limits.
    const isRoomy = checks.lower_limit === undefined && checks.upper_limit === undefined
    if (limits && isRoomy) Object.assign(checks, limits)
    if (validator) validators.push({ outcome: each, ...validator })
    else if (!isRoomy) validators.push({ outcome: each, expression: text })
  }
  return validators.length === 0 ? checks : { ...checks, validators }
}

type Limits = Pick<Checks, 'lower_limit' | 'upper_limit'>

function readValidator(text: string): { limits?: Limits; validator?: Validator } {
  const range = RANGE.exec(text)
  if (range && text !== 'x') {
    const [, low, marginalLow, marginalHigh, high] = range
    const isMarginal = marginalLow !== undefined || marginalHigh !== undefined
    // The marginal range decides nothing: a value outside of it passes.
    const expression = `${marginalLow ?? ''}x${marginalHigh ?? ''}`
    return {
      limits: toLimits(low, high),
      ...(isMarginal && { validator: { expression, is_decisive: false, outcome: undefined } }),
    }
  }
  const within = WITHIN.exec(text)
  if (within) {
    const [percent, expected] = [Number(within[1]), Number(within[2])]
    const tolerance = Math.abs((expected * percent) / 100)
    return {
      limits: { lower_limit: expected - tolerance, upper_limit: expected + tolerance },
      validator: { expression: text, is_decisive: false },
    }
  }
  return { validator: readComparison(text) }
}

function toLimits(low: string | undefined, high: string | undefined): Limits {
  const [lower, upper] = [low, high].map((text) => (text === undefined ? NaN : Number(text)))
  return {
    ...(Number.isFinite(lower) && { lower_limit: lower as number }),
    ...(Number.isFinite(upper) && { upper_limit: upper as number }),
  }
}

const PYTHON_VALUES = new Map([
  ['True', true],
  ['False', false],
])

function readComparison(text: string): Validator {
  const equal = EQUAL.exec(text)?.[1]
  if (equal !== undefined) {
    const value = PYTHON_VALUES.get(equal) ?? (Number.isFinite(Number(equal)) ? Number(equal) : equal)
    return { operator: '==', expected_value: value, expression: text }
  }
  const equalText = EQUAL_TEXT.exec(text)?.[1]
  if (equalText !== undefined) return { operator: '==', expected_value: equalText, expression: text }
  const exactly = EXACTLY.exec(text)?.[1]
  // `equals('1.4.3')` is written as a regular expression.
  if (exactly !== undefined && /^(?:[\w\s]|\\[^\w]|[-,:;@%&=~"'<>!#/])*$/.test(exactly))
    return { operator: '==', expected_value: exactly.replaceAll(/\\(.)/gs, '$1'), expression: text }
  const pattern = MATCH.exec(text)?.[1]
  if (pattern !== undefined) return { operator: 'matches', expected_value: pattern, expression: text }
  return { expression: text }
}
