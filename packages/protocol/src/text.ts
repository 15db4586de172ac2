import { MAX_TEXT_LENGTH } from './text-limits'

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

const HASH_LENGTH = 8

/** A text as it is, or cut and ending in `~` and a hash of all of it, so that two that begin alike stay two. */
export function shortenText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${cutWell(text, maxLength - HASH_LENGTH - 1)}~${hashText(text)}`
}

/** FNV-1a over UTF-16 code units as 8 hexadecimal digits: the page computes it too, where there is no node:crypto. */
function hashText(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(HASH_LENGTH, '0')
}

/** The form under which identifiers are compared: "matched without regard to case" (contract decisions, v1). */
export function foldIdentifier(identifier: string): string {
  return identifier.trim().normalize('NFC').toLowerCase()
}
