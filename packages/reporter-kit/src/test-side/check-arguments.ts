import type { Limits } from '@runledger/core'
import type * as NodeFileSystem from 'node:fs'
import type { AttachmentInput } from './event-sink'
import { getBuiltIn, toBytes } from './runtime'
import type { AttachOptions } from './test-api-types'

interface Argument {
  field: string
  value: unknown
  fix: string
}

/** The message names the call, the argument, its value and the fix. */
export class InvalidArgumentError extends TypeError {
  constructor(call: string, reason: string | Argument) {
    super(`${call}: ${typeof reason === 'string' ? reason : explain(reason)}`)
  }
}

function explain({ field, value, fix }: Argument): string {
  return `${field} is ${describe(value)}; ${fix}`
}

function describe(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `a text of ${value.length} characters` : stringify(value)
  if (typeof value === 'function') return 'a function'
  if (isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

// Read once: in Jest's sandbox each global takes about a microsecond, and a test may mock it.
const { keys } = Object
const { isArray } = Array
const { isFinite } = Number
export const { stringify } = JSON
const { statSync } = (getBuiltIn('node:fs') ?? {}) as Partial<typeof NodeFileSystem>

const MAX_NUMBER_LENGTH = 60
const MAX_TEXT_LENGTH = 10_000

// No service can store these unchanged.
const UNSTORABLE = /\u0000|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

export function checkName(call: string, field: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_LENGTH) return
  const fix = `give a text of 1 to ${MAX_TEXT_LENGTH} characters`
  throw new InvalidArgumentError(call, { field, value, fix })
}

export function checkText(call: string, field: string, value: unknown): asserts value is string {
  if (typeof value === 'string' && value.length <= MAX_TEXT_LENGTH) return
  const fix = `give a text of at most ${MAX_TEXT_LENGTH} characters`
  throw new InvalidArgumentError(call, { field, value, fix })
}

export function checkString(call: string, field: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new InvalidArgumentError(call, { field, value, fix: 'give a text' })
}

export function checkNumber(call: string, field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !isFinite(value))
    throw new InvalidArgumentError(call, { field, value, fix: 'give a finite number' })
}

export function readIdentifier(call: string, field: string, value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (text !== '' && text.length <= MAX_NUMBER_LENGTH && !UNSTORABLE.test(text)) return text
  const fix = `give a text of 1 to ${MAX_NUMBER_LENGTH} characters without NUL or halves of characters`
  throw new InvalidArgumentError(call, { field, value, fix })
}

/** As the service names batches. */
export function readBatchNumber(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (/^[\w-]{1,100}$/.test(text)) return text
  const fix = 'give 1 to 100 letters from A to Z, digits, "_" and "-"'
  throw new InvalidArgumentError('unitUnderTest', { field: 'batchNumber', value, fix })
}

/** Unknown keys are usually misspelled. */
export function checkKeys(call: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || isArray(value))
    throw new InvalidArgumentError(call, {
      field: 'its last argument',
      value,
      fix: `give {${known.join(', ')}}`,
    })
  const unknown = keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      call,
      `there is no key ${stringify(unknown)}; use one of ${known.join(', ')}`,
    )
}

export const LIMIT_KEYS = ['unit', 'low', 'high']

export function checkLimits(call: string, { unit, low, high }: Limits): void {
  if (unit !== undefined) checkText(call, 'unit', unit)
  if (low !== undefined) checkNumber(call, 'low', low)
  if (high !== undefined) checkNumber(call, 'high', high)
  if (low !== undefined && high !== undefined && low > high)
    throw new InvalidArgumentError(call, {
      field: 'low',
      value: low,
      fix: `give at most high, which is ${high}`,
    })
}

/** Also checks that the path is that of a file. */
export function readAttachment(name: unknown, options: AttachOptions): AttachmentInput {
  checkName('attach', 'name', name)
  checkKeys('attach', options, ['path', 'body', 'contentType'])
  const { body, contentType = typeof body === 'string' ? 'text/plain' : undefined } = options
  if (contentType !== undefined) checkText('attach', 'contentType', contentType)
  return { name, contentType, source: readSource(options) }
}

function readSource({ path, body }: AttachOptions): AttachmentInput['source'] {
  if ((path === undefined) === (body === undefined))
    throw new InvalidArgumentError('attach', 'it takes either path or body; give one of them')
  if (path !== undefined) return { path: readPath(path) }
  if (typeof body === 'string') return { bytes: toBytes(body) }
  // Not `instanceof`: Jest's environments have their own classes.
  if (ArrayBuffer.isView(body))
    return { bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) }
  const fix = 'give a text, a Buffer or a Uint8Array'
  throw new InvalidArgumentError('attach', { field: 'body', value: body, fix })
}

function readPath(path: unknown): string {
  if (typeof path !== 'string' || path === '')
    throw new InvalidArgumentError('attach', { field: 'path', value: path, fix: 'give the path of a file' })
  if (statSync?.(path, { throwIfNoEntry: false })?.isFile()) return path
  const fix = 'give the path of a file that exists'
  throw new InvalidArgumentError('attach', { field: 'path', value: path, fix })
}
