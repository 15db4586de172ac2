import { stripVTControlCharacters } from 'node:util'
import type { ErrorDetail } from '@runledger/core'
import { findOwnPlace } from '@runledger/reporter-kit'
import type { FailureDetail } from './failure-details'
import type { JestExecError } from './jest-types'

const FRAME = /^\s+at .*(?::\d+:\d+\)?|<anonymous>\)?|\(native\))$/
// Jest 30 writes causes and inner errors below the frames of their error.
const NESTED = /^\[(?:cause|errors)\]: /

/** Splits a failure text into message and stack, and adds Jest's other facts. */
export function mapError(text: string, rootDir: string, detail: FailureDetail = {}): ErrorDetail {
  const { message, below } = splitText(text)
  const { expected, actual, nested = [] } = detail
  const stack = [below, ...nested.filter((each) => !tells(text, each))].join('\n\n').replace(/^\n+/, '')
  // Jest 29 puts the message of a thrown undefined after the stack.
  const untold = detail.message !== undefined && !text.includes(detail.message) ? detail.message : undefined
  const diff = findDiff(message)
  return {
    message: untold ?? message,
    ...(stack !== '' && { stack }),
    ...findOwnPlace(stack, rootDir),
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(diff !== undefined && { diff }),
  }
}

function splitText(text: string): { message: string; below: string } {
  const lines = text.split('\n')
  const first = lines.findIndex(
    (line, index) => FRAME.test(line) || (NESTED.test(line) && lines[index - 1]?.trim() === ''),
  )
  if (first < 0) return { message: text.trim(), below: '' }
  return { message: lines.slice(0, first).join('\n').trim(), below: lines.slice(first).join('\n') }
}

/** Jest 30's text includes other thrown values; it words invalid `errors` itself. */
function tells(text: string, nested: string): boolean {
  const [firstLine = ''] = nested.split('\n')
  return text.includes(firstLine) || (nested.startsWith('[errors]') && text.includes('\n[errors]: '))
}

// The legend of a difference at a message's end. Values from another process may have less than it shows.
const DIFF_LEGEND = /^- (?:Expected|Snapshot) +- \d+\n\+ Received +\+ \d+\n/m

function findDiff(message: string): string | undefined {
  const plain = stripVTControlCharacters(message)
  const start = plain.search(DIFF_LEGEND)
  return start < 0 ? undefined : plain.slice(start)
}

/**
 * jest-circus joins a file's errors into one text. Without a stack (a load error is a string), Jest's printed text replaces it.
 */
export function mapExecErrors(error: JestExecError, rootDir: string, printed?: string | null): ErrorDetail[] {
  const { message = '', stack, nested } = typeof error === 'string' ? { message: error } : error
  if (!stack?.trim()) return [{ message: message.trim(), ...(printed ? { stack: printed.trim() } : {}) }]
  if (message === '') return splitErrors(stack).map((text) => mapError(text, rootDir))
  const detail = mapError(stack, rootDir, { nested })
  const mapped = detail.message.includes(message) ? detail : { ...detail, message, stack }
  return [
    { ...mapped, ...(mapped.location ? {} : findStatedPlace(`${message}\n${mapped.message}`, rootDir)) },
  ]
}

// Babel's errors begin `/path/file.js: Unexpected token (3:8)`, the column from 0; V8 writes `/path/file.js:3` above the
// code.
const ABSOLUTE = String.raw`^((?:/|[A-Za-z]:[\\/]).*?)`
const BABEL_PLACE = new RegExp(String.raw`${ABSOLUTE}: .*\((\d+):(\d+)\)$`, 'm')
const V8_PLACE = new RegExp(String.raw`${ABSOLUTE}:(\d+)$`, 'm')
const MAX_SEARCHED = 5_000

/** The place of a syntax error; its stack is the parser's. */
function findStatedPlace(text: string, rootDir: string): Pick<ErrorDetail, 'location' | 'snippet'> {
  const searched = text.slice(0, MAX_SEARCHED)
  const [, file, line, column] = BABEL_PLACE.exec(searched) ?? V8_PLACE.exec(searched) ?? []
  if (file === undefined) return {}
  if (column !== undefined) return findOwnPlace(`    at ${file}:${line}:${Number(column) + 1}`, rootDir)
  const { location } = findOwnPlace(`    at ${file}:${line}`, rootDir)
  return location ? { location: { file: location.file, line: location.line } } : {}
}

/** After stack frames, an unindented line begins the next error, except `[cause]` and `[errors]`. */
function splitErrors(text: string): string[] {
  const errors: string[][] = []
  let afterFrame = true
  for (const line of text.split('\n')) {
    const beginsError = afterFrame && /^[^\s[]/.test(line)
    const current = errors.at(-1)
    if (beginsError || current === undefined) errors.push([line])
    else current.push(line)
    if (line.trim() !== '') afterFrame = FRAME.test(line)
  }
  return errors.map((lines) => lines.join('\n'))
}
