import type { ErrorDetail } from '@runledger/core'
import { inspect } from 'node:util'
import {
  findOwnPlace,
  readFields,
  readList,
  readText,
  toOwnLocation,
  type Fields,
} from '@runledger/reporter-kit'
import type { TestResult } from '@playwright/test/reporter'
import { findStepPlace } from './error-step'
import { readPlace } from './read-result'

/** An error without a place gets that of its step. */
export function mapErrors(result: TestResult, rootDir: string): ErrorDetail[] {
  return readList(result.errors).map((error) => {
    const mapped = mapError(error, rootDir)
    return mapped.location === undefined ? { ...mapped, ...findStepPlace(error, result, rootDir) } : mapped
  })
}

export function mapError(error: unknown, rootDir: string): ErrorDetail {
  if (typeof error === 'string') return { message: error }
  const fields = readFields(error)
  const { message, stack } = readTexts(fields)
  return {
    message,
    ...(stack !== '' && { stack }),
    ...findPlace(fields, rootDir),
    ...readValues(readFields(fields['matcherResult'])),
  }
}

function readTexts({ message: ownMessage, value, stack: ownStack, cause }: Fields): {
  message: string
  stack: string
} {
  const message = readText(ownMessage) ?? readText(value) ?? 'Unknown error'
  const stack = [cutMessage(readText(ownStack), message), ...listCauses(cause)]
  return { message, stack: stack.filter((part) => part.trim() !== '').join('\n\n') }
}

function listCauses(cause: unknown): string[] {
  if (cause === undefined || cause === null) return []
  const { message, stack } = readTexts(typeof cause === 'string' ? { value: cause } : readFields(cause))
  return [`Caused by: ${message}`, readText(readFields(cause)['snippet']) ?? '', stack]
}

function cutMessage(stack = '', message: string): string {
  return stack.startsWith(message) ? stack.slice(message.length).replace(/^\n+/, '') : stack
}

// The first line of a snippet from another file: the way there.
const WAY = /^ *at .*\n+/

/** Playwright's place and snippet; for a place outside of the project, the frame that led there. */
function findPlace({ location, stack, snippet }: Fields, rootDir: string): Omit<ErrorDetail, 'message'> {
  const code = readText(snippet)?.trim() ? readText(snippet) : undefined
  const place = readPlace(location)
  const own = place && toOwnLocation(place, rootDir)
  if (own !== undefined) return { location: own, ...(code !== undefined && { snippet: code }) }
  const found = findOwnPlace(readText(stack) ?? '', rootDir)
  if (found.location !== undefined || code === undefined) return found
  return { snippet: code.replace(WAY, '') }
}

// They compare files, and name them instead of values.
const SNAPSHOT_MATCHERS = ['toMatchSnapshot', 'toHaveScreenshot']

/** The compared values, which only versions around 1.50 report. */
function readValues({ name, expected, actual }: Fields): Omit<ErrorDetail, 'message'> {
  if (SNAPSHOT_MATCHERS.includes(readText(name) ?? '')) return {}
  return {
    ...(expected !== undefined && { expected: formatValue(expected) }),
    ...(actual !== undefined && { actual: formatValue(actual) }),
  }
}

function formatValue(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : inspect(value, { depth: 10, compact: false, maxStringLength: null })
}
