import { inspect } from 'node:util'
import type { ErrorDetail } from '@runledger/core'

const MAX_DEPTH = 5

interface LooseError {
  name?: unknown
  message?: unknown
  stack?: unknown
  stacks?: unknown
  diff?: unknown
  cause?: unknown
  errors?: unknown
  type?: unknown
}

/** Maps an error that Vitest serialised, or any other thrown value, with its diff, causes and stack. */
export function mapError(error: unknown): ErrorDetail {
  if (typeof error !== 'object' || error === null) return { message: String(error) }
  const stack = formatBelow(error, MAX_DEPTH)
  return { message: formatMessage(error), ...(stack === '' ? {} : { stack }) }
}

function formatMessage(error: LooseError): string {
  const message = typeof error.message === 'string' ? error.message : ''
  const name = typeof error.name === 'string' ? error.name : ''
  if (message === '') return name || describeFields(error)
  return message.startsWith(name) ? message : `${name}: ${message}`
}

// What Vitest adds to thrown objects that are not errors.
const ADDED_FIELDS = ['message', 'name', 'stack', 'stacks', 'type']

function describeFields(thrown: LooseError): string {
  const fields = Object.entries(thrown).filter(([field]) => !ADDED_FIELDS.includes(field))
  return fields.length === 0 ? 'Error without a message' : inspect(Object.fromEntries(fields))
}

function formatBelow(error: LooseError, depth: number): string {
  const diff = typeof error.diff === 'string' ? [error.diff] : []
  return [...diff, ...formatFrames(error), ...formatInner(error, depth)].join('\n')
}

function formatFrames(error: LooseError): string[] {
  const parsed = Array.isArray(error.stacks) ? error.stacks.flatMap(formatFrame) : []
  if (parsed.length > 0) return parsed
  if (typeof error.stack !== 'string') return []
  const start = error.stack.search(/^[ \t]+at /m)
  return start < 0 ? [] : [error.stack.slice(start).trimEnd()]
}

// Vitest parses stacks and applies source maps; the text of `stack` may name transformed code.
function formatFrame(frame: unknown): string[] {
  const { method, file, line, column } = (frame ?? {}) as Record<string, unknown>
  if (typeof file !== 'string') return []
  const place = `${file}:${String(line)}:${String(column)}`
  return [typeof method === 'string' && method !== '' ? `    at ${method} (${place})` : `    at ${place}`]
}

function formatInner(error: LooseError, depth: number): string[] {
  if (depth === 0) return []
  const inner = Array.isArray(error.errors) ? (error.errors as unknown[]) : []
  const causes = error.cause === undefined || error.cause === null ? [] : [error.cause]
  return [
    ...inner.map((each, index) => formatNested(`[error ${index + 1}]`, each, depth)),
    ...causes.map((cause) => formatNested('Caused by:', cause, depth)),
  ]
}

function formatNested(label: string, error: unknown, depth: number): string {
  if (typeof error !== 'object' || error === null) return `${label} ${String(error)}`
  const below = formatBelow(error, depth - 1)
  const message = formatMessage(error)
  // Vitest's own terminal reporter may have written the label into the name of the cause.
  return `${message.startsWith(label) ? '' : `${label} `}${message}${below === '' ? '' : `\n${below}`}`
}
