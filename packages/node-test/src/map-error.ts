import { inspect } from 'node:util'
import type { ErrorDetail } from '@runledger/core'
import { findOwnPlace, formatText, readFields, readText } from '@runledger/reporter-kit'
import type { NodeFailure } from './node-events'

/** The maximum number of causes and inner errors kept. */
const MAX_OPENED = 20

/** Maps the thrown value, or Node's description of the failure. */
export function mapError(handed: unknown, rootDir: string): ErrorDetail {
  const failure = readFields(handed) as NodeFailure
  const thrown = isWrapper(handed) ? failure.cause : handed
  if (!isObject(thrown)) return { message: readText(failure.message) || formatText(thrown) }
  const stack = formatBelow(thrown, new Set())
  const { expected, actual } = readFields(thrown)
  return {
    message: formatMessage(thrown),
    ...(stack !== '' && { stack, ...findOwnPlace(stack, rootDir) }),
    ...('expected' in thrown && 'actual' in thrown && isCompared(expected, actual)
      ? { expected: printValue(expected), actual: printValue(actual) }
      : {}),
  }
}

export function readFailureType(handed: unknown): string | undefined {
  return readText(readFields(handed)['failureType'])
}

function isWrapper(handed: unknown): boolean {
  return readFailureType(handed) !== undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isCompared(expected: unknown, actual: unknown): boolean {
  return expected !== undefined || actual !== undefined
}

/** Between processes errors lose their class; the stack's first lines still have it. */
function formatMessage(thrown: object): string {
  const { name, message, stack } = readFields(thrown)
  const head = splitStack(readText(stack) ?? '').head
  const text = readText(message) ?? ''
  if (head !== '' && head.includes(text)) return head
  if (text === '') return readText(name) ?? printValue(thrown)
  return typeof name === 'string' && !text.startsWith(name) ? `${name}: ${text}` : text
}

function splitStack(stack: string): { head: string; frames: string } {
  const start = stack.search(/^[ \t]+at /m)
  return start < 0
    ? { head: stack.trimEnd(), frames: '' }
    : { head: stack.slice(0, start).trimEnd(), frames: stack.slice(start).trimEnd() }
}

function formatBelow(thrown: object, opened: Set<object>): string {
  if (opened.has(thrown) || opened.size === MAX_OPENED) return ''
  opened.add(thrown)
  const { stack, errors, cause } = readFields(thrown)
  const inner = Array.isArray(errors) ? (errors as unknown[]) : []
  const nested = [
    ...inner.map((each, index) => formatNested(`[error ${index + 1}]`, each, opened)),
    ...(cause === undefined || cause === null ? [] : [formatNested('Caused by:', cause, opened)]),
  ]
  return [splitStack(readText(stack) ?? '').frames, ...nested].filter((part) => part !== '').join('\n')
}

function formatNested(label: string, thrown: unknown, opened: Set<object>): string {
  if (!isObject(thrown)) return `${label} ${formatText(thrown)}`
  const below = formatBelow(thrown, opened)
  return `${label} ${formatMessage(thrown)}${below === '' ? '' : `\n${below}`}`
}

/** As Node prints differences, an entry a line. Runs no code of the value. */
function printValue(value: unknown): string {
  if (typeof value === 'string') return value
  return inspect(value, {
    compact: false,
    customInspect: false,
    depth: 10,
    maxArrayLength: 1_000,
    maxStringLength: 10_000,
    sorted: true,
  })
}
