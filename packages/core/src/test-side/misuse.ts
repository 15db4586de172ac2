/** A call that cannot mean anything: told where it is made, with the field, its value and the fix. */
export class MisuseError extends TypeError {
  constructor(call: string, misuse: string | { field: string; value: unknown; fix: string }) {
    super(`${call}: ${typeof misuse === 'string' ? misuse : explain(misuse)}`)
  }
}

function explain({ field, value, fix }: { field: string; value: unknown; fix: string }): string {
  return `${field} is ${describe(value)}; ${fix}`
}

// Each global that a call reads costs microseconds in Jest's contexts.
const { keys } = Object
const { isArray } = Array
const { isFinite } = Number

const MAX_SERIAL_LENGTH = 255
const MAX_TEXT_LENGTH = 10_000

// What no service can give back as it came: NUL characters and halves of surrogate pairs.
const UNSTORABLE = /\u0000|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

export function checkName(call: string, field: string, value: unknown): asserts value is string {
  const isName = typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_LENGTH
  if (!isName)
    throw new MisuseError(call, {
      field,
      value,
      fix: `give a text of 1 to ${MAX_TEXT_LENGTH} characters`,
    })
}

export function checkText(call: string, field: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH)
    throw new MisuseError(call, { field, value, fix: `give a text of at most ${MAX_TEXT_LENGTH} characters` })
}

export function checkString(call: string, field: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new MisuseError(call, { field, value, fix: 'give a text' })
}

export function checkNumber(call: string, field: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || !isFinite(value))
    throw new MisuseError(call, { field, value, fix: 'give a finite number' })
}

/** A serial number, part number or revision; answers it trimmed. */
export function readIdentifier(call: string, field: string, value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (text === '' || text.length > MAX_SERIAL_LENGTH || UNSTORABLE.test(text))
    throw new MisuseError(call, {
      field,
      value,
      fix: `give a text of 1 to ${MAX_SERIAL_LENGTH} characters without NUL or halves of characters`,
    })
  return text
}

/** Refuses what is no object, and keys that nobody reads: most often a misspelling. */
export function checkKeys(call: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || isArray(value))
    throw new MisuseError(call, { field: 'its last argument', value, fix: `give {${known.join(', ')}}` })
  for (const key of keys(value)) {
    if (known.includes(key)) continue
    throw new MisuseError(call, `there is no key ${JSON.stringify(key)}; use one of ${known.join(', ')}`)
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `a text of ${value.length} characters` : JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
