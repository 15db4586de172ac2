/** Longest step name that the service takes, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 10_000

/** Longest serial number, part number, revision or procedure identifier, in UTF-16 code units. */
export const MAX_IDENTIFIER_LENGTH = 255

// NUL ends a text in some databases and a lone surrogate has no UTF-8 form: neither can be given back as sent.
const UNSTORABLE = /\u0000|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** True for a text that every supported database gives back exactly as it came. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

export const UNSTORABLE_MESSAGE = 'must not contain NUL characters or lone surrogates'

/** The nearest text that `TextSchema` takes: NUL characters dropped, lone surrogates replaced, cut at its length. */
export function toStorableText(text: string): string {
  return cutWell(text.replaceAll('\0', '').toWellFormed(), MAX_TEXT_LENGTH)
}

/** Cuts a text without leaving half of a surrogate pair at its end. */
export function cutWell(text: string, length: number): string {
  const cut = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** The form under which identifiers are compared: "matched without regard to case" (contract decisions, v1). */
export function foldIdentifier(identifier: string): string {
  return identifier.trim().normalize('NFC').toLowerCase()
}
