import { MAX_TEXT_LENGTH } from './text-limits'

/**
 * True for a text that every supported database gives back exactly as it came: NUL ends a text in some databases, and a lone
 * surrogate has no UTF-8 form.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

export const UNSTORABLE_MESSAGE = 'must not contain NUL characters or lone surrogates'

/** The nearest text that `TextSchema` takes: NUL characters dropped, lone surrogates replaced, cut at its length. */
export function toStorableText(text: string): string {
  // Cuts first, because the same long text may be converted many times.
  const start = text.slice(0, 2 * MAX_TEXT_LENGTH)
  return cutWell(start.replaceAll('\0', '').toWellFormed(), MAX_TEXT_LENGTH)
}

/** Cuts a text without leaving half of a surrogate pair at its end. */
export function cutWell(text: string, length: number): string {
  const cut = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** Marks where the middle of a text was cut. */
export const CUT_MARK = ' [… cut …] '

/** At most so many bytes of UTF-8: the text, or its beginning and end with a mark between them. */
export function cutMiddle(text: string, maxBytes: number): string {
  // A UTF-16 code unit is one byte at least, and three at most.
  if (text.length * 3 <= maxBytes) return text
  const encoder = new TextEncoder()
  if (text.length <= maxBytes && encoder.encode(text).length <= maxBytes) return text
  const half = Math.floor((maxBytes - encoder.encode(CUT_MARK).length) / 2)
  const head = encoder.encode(cutWell(text, half))
  const tail = encoder.encode(text.slice(-half).replace(/^[\uDC00-\uDFFF]/, ''))
  let [end, start] = [Math.min(half, head.length), Math.max(0, tail.length - half)]
  while (isWithinCharacter(head[end])) end -= 1
  while (isWithinCharacter(tail[start])) start += 1
  const decoder = new TextDecoder(undefined, { ignoreBOM: true })
  return `${decoder.decode(head.subarray(0, end))}${CUT_MARK}${decoder.decode(tail.subarray(start))}`
}

function isWithinCharacter(byte = 0): boolean {
  return (byte & 0xc0) === 0x80
}

// Control sequences and what terminals are told in other ways: `ESC [ 31 m`, `ESC ] 8 ; ; … BEL`, `ESC c`.
const ANSI =
  /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B[ -/]*[0-~]?/g

/** A text of an error without escape sequences, and without what cannot be stored. */
export function toPlainError(text: string): string {
  return text.replaceAll(ANSI, '').replaceAll('\0', '').toWellFormed()
}

/**
 * An error's text, plain, and cut in the middle above so many bytes of UTF-8. Only the ends of a far longer text are read.
 * `change` gets the plain text before it is cut.
 */
export function cleanErrorText(text: string, maxBytes: number, change = (plain: string) => plain): string {
  const clean = (part: string) => change(toPlainError(part))
  const part = 8 * maxBytes
  if (text.length <= 2 * part) return cutMiddle(clean(text), maxBytes)
  const head = text.slice(0, beforeCode(text, part))
  const tail = text.slice(beforeCode(text, text.length - part))
  return cutMiddle(clean(head) + CUT_MARK + clean(tail), maxBytes)
}

const MAX_CODE = 1_000

/** A nearby place where a text can be cut without cutting a code. */
function beforeCode(text: string, at: number): number {
  const near = text.slice(at - MAX_CODE, at)
  const code = Math.max(near.lastIndexOf('\u001B'), near.lastIndexOf('\u009B'))
  return code < 0 ? at : at - MAX_CODE + code
}

const HASH_LENGTH = 8

/** A long text is cut and ends in `~` and a hash of the whole, so that texts that begin alike stay distinct. */
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

/** The form under which identifiers are compared: without regard to case (docs/interface.md#units-and-parts). */
export function foldIdentifier(identifier: string): string {
  return identifier.trim().normalize('NFC').toLowerCase()
}
