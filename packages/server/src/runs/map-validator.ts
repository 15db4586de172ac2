import type { ValidatorInput, Validator } from '@runledger/protocol'

/** Operators whose check of a number against a number is plain. */
const COMPARE: Readonly<Record<string, (value: number, expected: number) => boolean>> = {
  '>=': (value, expected) => value >= expected,
  '>': (value, expected) => value > expected,
  '<=': (value, expected) => value <= expected,
  '<': (value, expected) => value < expected,
  '==': (value, expected) => value === expected,
  '!=': (value, expected) => value !== expected,
}

/**
 * A validator as it is answered: what was sent stays as it is. An outcome that was not sent is derived where a number
 * is compared with a number, else it is UNSET; an expression that was not sent is made of operator and expected value.
 */
export function mapValidator(sent: ValidatorInput, value: unknown): Validator {
  const { operator, expected_value: expected, expression } = sent
  return {
    outcome: sent.outcome ?? deriveOutcome(sent, value),
    operator: operator ?? null,
    expected_value: expected ?? null,
    expression: expression ?? formatExpression(sent),
    is_decisive: sent.is_decisive ?? null,
    is_expression_only: operator === undefined && expression !== undefined,
    analytics_expression: null,
    has_custom_expression: expression !== undefined,
  }
}

/** Validators as they are answered; null when none were sent. */
export function mapValidators(
  sent: readonly ValidatorInput[] | undefined,
  value: unknown,
): Validator[] | null {
  return sent?.map((validator) => mapValidator(validator, value)) ?? null
}

function deriveOutcome(
  { operator = '', expected_value: expected }: ValidatorInput,
  value: unknown,
): Validator['outcome'] {
  const compare = COMPARE[operator]
  if (!compare || typeof value !== 'number' || typeof expected !== 'number') return 'UNSET'
  return compare(value, expected) ? 'PASS' : 'FAIL'
}

function formatExpression({ operator, expected_value: expected }: ValidatorInput): string {
  if (operator === undefined && expected === undefined) return ''
  return ['x', operator, expected === undefined ? undefined : formatExpected(expected)]
    .filter(Boolean)
    .join(' ')
}

function formatExpected(expected: NonNullable<ValidatorInput['expected_value']>): string {
  return typeof expected === 'number' ? String(expected) : JSON.stringify(expected)
}
