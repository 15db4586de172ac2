import type { Pieces } from './pieces'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** What JSON writes for a byte, where that is not the byte itself (RFC 8259, section 7). */
const ESCAPES: readonly (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const isEscaped = byte < 0x20 || byte === QUOTE || byte === BACKSLASH
  return isEscaped ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)) : undefined
})

/**
 * A text in UTF-8 as JSON has it, quotes included. JSON escapes no byte of UTF-8 beyond ASCII, so this goes byte by byte:
 * a log would lie in the heap twice if it became a string for it.
 */
export function quoteText(text: Uint8Array): Uint8Array {
  const quoted = Buffer.allocUnsafeSlow(measureQuoted(text))
  let end = 0
  quoted[end++] = QUOTE
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] as number
    const escape = ESCAPES[byte]
    if (escape === undefined) quoted[end++] = byte
    else for (const each of escape) quoted[end++] = each
  }
  quoted[end] = QUOTE
  return quoted
}

function measureQuoted(text: Uint8Array): number {
  let length = 2
  for (let index = 0; index < text.length; index += 1) length += ESCAPES[text[index] as number]?.length ?? 1
  return length
}

/** What `quoteText` was given. */
export function unquoteText(quoted: Uint8Array): Uint8Array {
  const bytes = Buffer.from(quoted.buffer, quoted.byteOffset, quoted.byteLength)
  return Buffer.from(JSON.parse(bytes.toString('latin1')) as string, 'latin1')
}

/** A JSON object with the member `text` after the others; the text as `quoteText` has it. */
export function formatWithText(members: object, quoted: Uint8Array): Pieces {
  const before = `${JSON.stringify(members).slice(0, -1)},"text":`
  return [Buffer.from(before), quoted, Buffer.from('}')]
}

/** JSON values as a JSON list. */
export function formatList(values: readonly Pieces[]): Pieces {
  const parts = values.flatMap((value, index) => (index === 0 ? value : [Buffer.from(','), ...value]))
  return [Buffer.from('['), ...parts, Buffer.from(']')]
}
