import type { Pieces } from './pieces'

/** How much of a text is in the heap at a time, in bytes. */
const CHUNK_BYTES = 64 * 1024

/**
 * A text in UTF-8 as JSON has it, quotes included (RFC 8259, section 7). JSON escapes no byte of UTF-8 beyond ASCII, so
 * each byte goes through it as a character of its own: a long log never lies in the heap as a whole.
 */
export function quoteText(text: Uint8Array): Uint8Array {
  const starts = Array.from({ length: Math.ceil(text.byteLength / CHUNK_BYTES) }, (_, at) => at * CHUNK_BYTES)
  const sole = starts.length === 1 ? quoteChunk(text, 0) : undefined
  const length = sole?.length ?? starts.reduce((sum, start) => sum + quoteChunk(text, start).length, 0)
  const quoted = Buffer.allocUnsafeSlow(length + 2)
  let end = quoted.write('"', 'latin1')
  for (const start of starts) end += quoted.write(sole ?? quoteChunk(text, start), end, 'latin1')
  quoted.write('"', end, 'latin1')
  return quoted
}

function quoteChunk({ buffer, byteOffset, byteLength }: Uint8Array, start: number): string {
  const chunk = Buffer.from(buffer, byteOffset + start, Math.min(CHUNK_BYTES, byteLength - start))
  return JSON.stringify(chunk.toString('latin1')).slice(1, -1)
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
