import { readFields, readText, type Fields } from '@runledger/reporter-kit'
import { printValue } from './print-value'

export interface FailureDetail {
  message?: string | undefined
  expected?: string | undefined
  actual?: string | undefined
  /** Causes and inner errors, each with the label of Jest 30. */
  nested?: readonly string[] | undefined
}

/** The maximum number of causes and inner errors kept. */
const MAX_NESTED = 20

/**
 * Reads a thrown value. From another process, errors have only their own enumerable fields; in the same process it is
 * the test's object, whose getters may throw.
 */
export function readFailureDetail(handed: unknown): FailureDetail {
  try {
    const error = unwrap(readFields(handed))
    const nested = listNested(error)
    return {
      message: readText(error['message']),
      ...readCompared(error),
      ...(nested.length > 0 && { nested }),
    }
  } catch {
    return {}
  }
}

/** jest-jasmine2 wraps its errors. */
function unwrap(fields: Fields): Fields {
  const { error } = fields
  return typeof error === 'object' && error !== null && 'matcherResult' in error ? readFields(error) : fields
}

/** A matcher's two values, or those of an assertion library, which are fields of the error. */
function readCompared(error: Fields): FailureDetail {
  const { matcherResult } = error
  if (typeof matcherResult === 'object' && matcherResult !== null)
    return printCompared(readFields(matcherResult))
  return 'expected' in error && 'actual' in error ? printCompared(error) : {}
}

function printCompared({ expected, actual, message }: Fields): FailureDetail {
  const isTold = (value: unknown) => value !== undefined && !(value === null && isLost(message))
  return {
    ...(isTold(expected) && { expected: printValue(expected) }),
    ...(isTold(actual) && { actual: printValue(actual) }),
  }
}

// NaN and infinities arrive from another process as null.
function isLost(message: unknown): boolean {
  return typeof message === 'string' && !message.includes('null')
}

function listNested(error: Fields): string[] {
  const seen = new Set<unknown>([error])
  const found: string[] = []
  const walk = (each: Fields): void => {
    for (const [label, inner] of readNested(each)) {
      if (found.length === MAX_NESTED || seen.has(inner)) continue
      seen.add(inner)
      const text = formatThrown(inner)
      if (text !== '') found.push(`[${label}]: ${text}`)
      walk(readFields(inner))
    }
  }
  walk(error)
  return found
}

function readNested({ cause, errors }: Fields): [label: string, inner: unknown][] {
  const inner = Array.isArray(errors) ? errors.slice(0, MAX_NESTED) : []
  return [['cause', cause], ...inner.map((each): [string, unknown] => ['errors', each])]
}

/** Empty for nothing, and for an error that lost all of its fields. */
function formatThrown(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return ''
  const message = readText(readFields(thrown)['message']) ?? ''
  const stack = readText(readFields(thrown)['stack']) ?? ''
  if (stack !== '') return stack.includes(message) ? stack : `${message}\n${stack}`
  if (message !== '') return message
  const printed = printValue(thrown)
  return printed === '{}' ? '' : printed
}
