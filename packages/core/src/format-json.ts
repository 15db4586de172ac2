import type { Pieces } from './pieces'

/**
 * A short text in UTF-8 as JSON has it, quotes included (RFC 8259, section 7). JSON escapes no byte of UTF-8 beyond ASCII,
 * so each byte goes through it as a character of its own, which needs no decoding.
 */
export function quoteText({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
  return Buffer.from(JSON.stringify(text), 'latin1')
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
