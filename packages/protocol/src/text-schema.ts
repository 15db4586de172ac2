import * as z from 'zod'
import { isStorable, MAX_IDENTIFIER_LENGTH, MAX_TEXT_LENGTH, UNSTORABLE_MESSAGE } from './text'

/** Any text that every supported database gives back exactly as it came. */
export const TextSchema = z.string().max(MAX_TEXT_LENGTH).refine(isStorable, UNSTORABLE_MESSAGE)

/** A serial number, part number, revision or other identifier: trimmed, never empty. */
export const IdentifierSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_IDENTIFIER_LENGTH)
  .refine(isStorable, UNSTORABLE_MESSAGE)

/** Most names of one record, so that a hostile one is refused before its values are looked at. */
export const MAX_RECORD_NAMES = 10_000

/**
 * Names given to values. The key `__proto__` is refused: no JavaScript reader is sure to be given it back, and it
 * must not be lost without a word.
 */
export function recordOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess(
    (record, context) => {
      if (typeof record !== 'object' || record === null) return record
      if (Object.hasOwn(record, '__proto__'))
        context.addIssue({ code: 'custom', message: 'must not have the key "__proto__"' })
      if (Object.keys(record).length > MAX_RECORD_NAMES)
        context.addIssue({ code: 'custom', message: `must have at most ${MAX_RECORD_NAMES} names` })
      return record
    },
    z.record(TextSchema, value),
  )
}

/** The same where null stands for a name that has no value, as it does for a field (contract decisions, Addresses). */
export function recordWithoutNulls<Value extends z.ZodType>(value: Value) {
  return recordOf(value.nullable()).transform((record) => {
    const entries = Object.entries(record).filter(([, one]) => one !== null)
    return Object.fromEntries(entries) as Record<string, NonNullable<z.output<Value>>>
  })
}
