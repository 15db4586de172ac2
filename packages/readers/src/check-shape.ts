import type * as z from 'zod'
import { type FilePath, ReadError, type ReadIssue } from './read-error'

const MAX_ISSUES = 10
const MAX_SHOWN = 60

/** @throws ReadError naming each place that differs from the schema */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: FilePath = [],
): z.output<Schema> {
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  throw new ReadError(checked.error.issues.slice(0, MAX_ISSUES).map((issue) => toReadIssue(issue, value, at)))
}

function toReadIssue({ path, message }: z.core.$ZodIssue, value: unknown, at: FilePath): ReadIssue {
  const inner = path.map((part) => (typeof part === 'number' ? part : String(part)))
  const found = inner.reduce<unknown>((one, part) => (one as Record<string, unknown> | null)?.[part], value)
  const text = found === undefined || found === null ? 'is missing' : `is ${showValue(found)}`
  return { path: [...at, ...inner], message: `${text}: ${message}` }
}

/** The beginning of a value's JSON. */
function showValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_SHOWN + 1) : value) ?? ''
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** A text as it is, anything else as JSON. @throws ReadError */
export function toText(value: unknown, at: FilePath): string {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  } catch (error) {
    // A million lists within each other leave no room on the stack.
    if (error instanceof RangeError) throw new ReadError([{ path: at, message: 'is nested too deep' }])
    throw error
  }
}
