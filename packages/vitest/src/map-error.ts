import { inspect } from 'node:util'
import type { ErrorDetail } from '@runledger/core'
import { findOwnPlace, readFields, readText } from '@runledger/reporter-kit'
import type { TestCase, TestModule, TestSuite } from './framework-types'
import { readStackParser, type StackParser } from './read-entity'

/** Only this many inner errors have frames and inner errors of their own. */
const MAX_OPENED = 100

interface LooseError {
  name?: unknown
  message?: unknown
  stack?: unknown
  stacks?: unknown
  diff?: unknown
  expected?: unknown
  actual?: unknown
  cause?: unknown
  errors?: unknown
  type?: unknown
  __vitest_rollup_error__?: unknown
}

interface Chain {
  /** Its difference is separate, not text of the stack. */
  compared: LooseError
  opened: Set<LooseError>
  parseStack: StackParser | undefined
}

export type ErrorMapping = (error: unknown) => ErrorDetail

export function createErrorMapping(entity: TestCase | TestModule | TestSuite, rootDir: string): ErrorMapping {
  const parseStack = readStackParser(entity)
  return (error) => mapError(error, rootDir, parseStack)
}

/** Maps a serialised error or another thrown value. `parseStack` reads stacks that Vitest has not parsed. */
export function mapError(error: unknown, rootDir: string, parseStack?: StackParser): ErrorDetail {
  if (typeof error !== 'object' || error === null) return { message: String(error) }
  const compared = findCompared(error)
  const stack = formatBelow(error, { compared, opened: new Set(), parseStack })
  return {
    message: formatMessage(error),
    ...(stack !== '' && { stack }),
    ...findOwnPlace([...formatUntransformed(error), stack].join('\n'), rootDir),
    ...mapCompared(compared),
  }
}

/** Before Vitest 4, the cause of `expect.poll` has the values compared last. */
function findCompared(error: LooseError): LooseError {
  const cause: LooseError = readFields(error.cause)
  return hasCompared(cause) && !hasCompared(error) ? cause : error
}

/** The place of a syntax error: its stack leads only to Vite's code. */
function formatUntransformed(error: LooseError): string[] {
  const { file, line, column } = readFields(readFields(error.__vitest_rollup_error__)['loc'])
  // Vite counts columns from 0.
  return formatFrame({ file, line, column: Number(column) + 1 })
}

function hasCompared({ diff, expected, actual }: LooseError): boolean {
  return diff !== undefined || expected !== undefined || actual !== undefined
}

function mapCompared({ diff, expected, actual }: LooseError): Partial<ErrorDetail> {
  return {
    ...(readText(diff) && { diff: readText(diff) }),
    ...(expected !== undefined && { expected: printValue(expected) }),
    ...(actual !== undefined && { actual: printValue(actual) }),
  }
}

/** Vitest gives text for values that it shows as a difference, else the values. */
function printValue(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { maxStringLength: null })
}

function formatMessage(error: LooseError): string {
  const message = typeof error.message === 'string' ? error.message : ''
  const name = typeof error.name === 'string' ? error.name : ''
  if (message === '') return name || describeFields(error)
  return message.startsWith(name) ? message : `${name}: ${message}`
}

// Fields that Vitest adds to thrown objects.
const ADDED_FIELDS = ['message', 'name', 'stack', 'stacks', 'type']

function describeFields(thrown: LooseError): string {
  const fields = Object.entries(thrown).filter(([field]) => !ADDED_FIELDS.includes(field))
  return fields.length === 0 ? 'Error without a message' : inspect(Object.fromEntries(fields))
}

function formatBelow(error: LooseError, chain: Chain): string {
  if (chain.opened.has(error) || chain.opened.size === MAX_OPENED) return ''
  chain.opened.add(error)
  const diff = error === chain.compared ? undefined : readText(error.diff)
  return [...(diff ? [diff] : []), ...formatFrames(error, chain), ...formatInner(error, chain)].join('\n')
}

function formatFrames(error: LooseError, { parseStack }: Chain): string[] {
  const parsed = Array.isArray(error.stacks) ? error.stacks.flatMap(formatFrame) : []
  if (parsed.length > 0) return parsed
  if (typeof error.stack !== 'string') return []
  const read = parseStack?.(error.stack).flatMap(formatFrame) ?? []
  if (read.length > 0) return read
  const start = error.stack.search(/^[ \t]+at /m)
  return start < 0 ? [] : [error.stack.slice(start).trimEnd()]
}

// Vitest's parsed stacks have source maps applied; `stack` may name transformed code.
function formatFrame(frame: unknown): string[] {
  const { method, file, line, column } = readFields(frame)
  if (typeof file !== 'string') return []
  const place = `${file}:${String(line)}:${String(column)}`
  return [typeof method === 'string' && method !== '' ? `    at ${method} (${place})` : `    at ${place}`]
}

function formatInner(error: LooseError, chain: Chain): string[] {
  const inner = Array.isArray(error.errors) ? (error.errors as unknown[]) : []
  const causes = error.cause === undefined || error.cause === null ? [] : [error.cause]
  return [
    ...inner.map((each, index) => formatNested(`[error ${index + 1}]`, each, chain)),
    ...causes.map((cause) => formatNested('Caused by:', cause, chain)),
  ]
}

function formatNested(label: string, error: unknown, chain: Chain): string {
  if (typeof error !== 'object' || error === null) return `${label} ${String(error)}`
  const below = formatBelow(error, chain)
  const message = formatMessage(error)
  // Vitest's terminal reporter may have written the label into the cause's name.
  return `${message.startsWith(label) ? '' : `${label} `}${message}${below === '' ? '' : `\n${below}`}`
}
