import type { ValidatorInputSchema } from '@runledger/protocol'
import type * as z from 'zod'

type Validator = z.input<typeof ValidatorInputSchema>

export interface Limits {
  lower_limit?: number
  upper_limit?: number
  validators?: Validator[]
}

const ONE_SIDED: Readonly<Record<string, 'low' | 'high'>> = { GT: 'low', GE: 'low', LT: 'high', LE: 'high' }
const SIGNS: Readonly<Record<string, string>> = { GT: '>', GE: '>=', LT: '<', LE: '<=' }
const EQUALS: Readonly<Record<string, string>> = { EQ: '==', EQUAL: '==', NE: '!=' }

/**
 * The check that a comparison of TestStand and WATS makes, such as `GELE` or `GT`. One with a single limit has it as the low one.
 * A strict comparison is a limit and a validator; one that wants a value outside of a range, or is not known, is an expression.
 */
export function readComparison(
  comparison: string | undefined,
  low: number | undefined,
  high: number | undefined,
): Limits {
  const word = (comparison ?? '').trim().toUpperCase()
  const limit = low ?? high
  if (word.startsWith('LOG') || limit === undefined) return {}
  const equal = EQUALS[word]
  if (equal !== undefined && Number.isFinite(limit)) return { validators: [compare(equal, limit)] }
  const side = ONE_SIDED[word]
  if (side !== undefined) return bound(side, word, limit)
  const [, first = '', second = ''] = /^(G[ET]|L[ET])(G[ET]|L[ET])$/.exec(word) ?? []
  if (first.startsWith('G') && second.startsWith('L')) {
    const lower = low === undefined ? {} : bound('low', first, low)
    const upper = high === undefined ? {} : bound('high', second, high)
    const validators = [...(lower.validators ?? []), ...(upper.validators ?? [])]
    return { ...lower, ...upper, ...(validators.length > 0 && { validators }) }
  }
  if (first.startsWith('L') && second.startsWith('G') && low !== undefined && high !== undefined)
    return { validators: [{ expression: `x ${SIGNS[first]} ${low} or x ${SIGNS[second]} ${high}` }] }
  return {
    validators: [{ expression: ['x', word, low, high].filter((part) => part !== undefined).join(' ') }],
  }
}

/** Every value is within an infinite limit. No value is within a limit that is not a number. */
function bound(side: 'low' | 'high', word: string, limit: number): Limits {
  if (limit === (side === 'low' ? -Infinity : Infinity)) return {}
  if (!Number.isFinite(limit)) return { validators: [{ expression: `x ${SIGNS[word]} ${limit}` }] }
  return {
    ...(side === 'low' ? { lower_limit: limit } : { upper_limit: limit }),
    ...(word.endsWith('T') && { validators: [compare(SIGNS[word] ?? '', limit)] }),
  }
}

function compare(operator: string, expected: number | string): Validator {
  return { operator, expected_value: expected }
}

export function readTextComparison(comparison: string | undefined, limit: string | undefined): Limits {
  const word = (comparison ?? '').trim().toUpperCase()
  if (limit === undefined || word.startsWith('LOG') || word === '') return {}
  if (['IGNORECASE', 'CIEQ'].includes(word))
    return {
      validators: [{ operator: '==', expected_value: limit, expression: `x == "${limit}", in any case` }],
    }
  if (word === 'CASESENSIT' || word === 'CASESENSITIVE' || EQUALS[word] === '==')
    return { validators: [compare('==', limit)] }
  if (word === 'NE' || word === 'CINE') return { validators: [compare('!=', limit)] }
  return { validators: [{ expression: `x ${word} "${limit}"` }] }
}

const CHECKS: Readonly<Record<string, (value: unknown, expected: unknown) => boolean>> = {
  '==': (value, expected) => value === expected,
  '!=': (value, expected) => value !== expected,
  '<': (value, expected) => Number(value) < Number(expected),
  '<=': (value, expected) => Number(value) <= Number(expected),
  '>': (value, expected) => Number(value) > Number(expected),
  '>=': (value, expected) => Number(value) >= Number(expected),
}

/** Whether a value is within its limits; undefined if it has no limits, or a limit that is only an expression. */
export function isWithin(value: unknown, limits: Limits): boolean | undefined {
  const { lower_limit: lower, upper_limit: upper, validators = [] } = limits
  const checks = validators.map(({ operator = '', expected_value: expected, expression }) =>
    typeof expected === typeof value && !expression ? CHECKS[operator ?? '']?.(value, expected) : undefined,
  )
  const hasRange = typeof lower === 'number' || typeof upper === 'number'
  if (hasRange && typeof value === 'number')
    checks.push(value >= (lower ?? -Infinity) && value <= (upper ?? Infinity))
  if (checks.includes(false)) return false
  return checks.length === 0 || checks.includes(undefined) ? undefined : true
}
