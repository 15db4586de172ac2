import { types } from 'node:util'

/** Core keeps less than this. */
const MAX_LENGTH = 20_000
/** A cut word may be half a secret, which could not be recognised. */
const CUT_WORD = /\S{1,2000}$/
const MAX_DEPTH = 10
/** Sorting more keys is too slow. */
const MAX_SORTED_KEYS = 10_000
const GETTER = Symbol('getter')

/**
 * Prints a value as Jest's and Vitest's differences do. Runs none of its code: it may be a test's object with throwing getters.
 */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return value
  let text = ''
  try {
    for (const part of printParts(value, [])) {
      text += part
      if (text.length > MAX_LENGTH) return `${text.slice(0, MAX_LENGTH).replace(CUT_WORD, '')}…`
    }
    return text
  } catch {
    return `${text}…`
  }
}

function* printParts(value: unknown, ancestors: readonly object[]): Generator<string> {
  if (typeof value !== 'object' || value === null) return yield printPrimitive(value)
  const whole = printWhole(value)
  if (whole !== undefined) return yield whole
  if (ancestors.includes(value)) return yield '[Circular]'
  const name = nameClass(value)
  if (ancestors.length === MAX_DEPTH) return yield `[${name}]`
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const indent = '  '.repeat(ancestors.length)
  let isEmpty = true
  yield `${['Object', 'Array', ''].includes(name) ? '' : `${name} `}${open}`
  for (const { label, entry } of listEntries(value)) {
    isEmpty = false
    yield `\n${indent}  ${label}`
    yield* printParts(entry, [...ancestors, value])
    yield ','
  }
  yield isEmpty ? close : `\n${indent}${close}`
}

function printPrimitive(value: unknown): string {
  if (value === GETTER) return '[Getter]'
  if (typeof value === 'string')
    return JSON.stringify(
      value.length > MAX_LENGTH ? value.slice(0, MAX_LENGTH).replace(CUT_WORD, '') : value,
    )
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return `[Function ${String(readKey(value, 'name')) || 'anonymous'}]`
  return Object.is(value, -0) ? '-0' : String(value)
}

function printWhole(value: object): string | undefined {
  if (types.isProxy(value)) return '[Proxy]'
  if (types.isRegExp(value)) return RegExp.prototype.toString.call(value)
  if (types.isNativeError(value)) return `[${nameClass(value)}: ${String(readKey(value, 'message') ?? '')}]`
  if (!types.isDate(value)) return undefined
  const timeMs = Date.prototype.getTime.call(value)
  return Number.isNaN(timeMs) ? 'Invalid Date' : new Date(timeMs).toISOString()
}

/** The class may belong to another realm. */
function nameClass(value: object): string {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null || types.isProxy(prototype)) return ''
  const constructor = readKey(prototype, 'constructor')
  return typeof constructor === 'function' ? String(readKey(constructor, 'name')) : ''
}

interface Entry {
  label: string
  entry: unknown
}

function* listEntries(value: object): Generator<Entry> {
  if (types.isMap(value)) {
    for (const [key, entry] of Map.prototype.entries.call(value) as Iterable<[unknown, unknown]>)
      yield { label: `${printKey(key)} => `, entry }
  } else if (types.isSet(value)) {
    for (const entry of Set.prototype.values.call(value) as Iterable<unknown>) yield { label: '', entry }
  } else if (Array.isArray(value) || types.isTypedArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      yield { label: '', entry: readKey(value, String(index)) }
  } else {
    const keys = Object.keys(value)
    for (const key of keys.length > MAX_SORTED_KEYS ? keys : keys.sort())
      yield { label: `${JSON.stringify(key)}: `, entry: readKey(value, key) }
  }
}

function printKey(key: unknown): string {
  return typeof key === 'object' && key !== null ? `[${nameClass(key)}]` : printPrimitive(key)
}

function readKey(value: object, key: string): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(value, key)
  return descriptor === undefined || 'value' in descriptor ? descriptor?.value : GETTER
}
