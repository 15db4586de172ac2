import * as z from 'zod'

/** Longest step name that the service takes, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 10_000

/** Longest serial number, part number, revision or procedure identifier, in UTF-16 code units. */
export const MAX_IDENTIFIER_LENGTH = 255

// NUL ends a text in some databases and a lone surrogate has no UTF-8 form: neither can be given back as sent.
const UNSTORABLE = /\u0000|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Any text that every supported database gives back exactly as it came. */
export const TextSchema = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .refine((text) => !UNSTORABLE.test(text), 'must not contain NUL characters or lone surrogates')

/** The nearest text that `TextSchema` takes: NUL characters dropped, lone surrogates replaced, cut at its length. */
export function toStorableText(text: string): string {
  return cutWell(text.replaceAll('\0', '').toWellFormed(), MAX_TEXT_LENGTH)
}

/** Cuts a text without leaving half of a surrogate pair at its end. */
export function cutWell(text: string, length: number): string {
  const cut = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** A serial number, part number, revision or other identifier: trimmed, never empty. */
export const IdentifierSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_IDENTIFIER_LENGTH)
  .refine((text) => !UNSTORABLE.test(text), 'must not contain NUL characters or lone surrogates')

/** The form under which identifiers are compared: "matched without regard to case" (contract decisions, v1). */
export function foldIdentifier(identifier: string): string {
  return identifier.trim().normalize('NFC').toLowerCase()
}

/**
 * Names given to values. The key `__proto__` is refused: no JavaScript reader is sure to be given it back, and it
 * must not be lost without a word.
 */
export function recordOf<Value extends z.ZodType>(value: Value) {
  return z
    .unknown()
    .refine(
      (record) => typeof record !== 'object' || record === null || !Object.hasOwn(record, '__proto__'),
      'must not have the key "__proto__"',
    )
    .pipe(z.record(TextSchema, value))
}
