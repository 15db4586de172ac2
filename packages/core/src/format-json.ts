/**
 * A text in UTF-8 as JSON has it, quotes included. JSON escapes no byte of UTF-8 beyond ASCII, so each byte may stand for
 * a character here: a log, which has some signs beyond Latin, would take twice the memory as a string, and its time.
 */
export function quoteText(text: Uint8Array): Uint8Array {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  return Buffer.from(JSON.stringify(bytes.toString('latin1')), 'latin1')
}

/** What `quoteText` was given. */
export function unquoteText(quoted: Uint8Array): Uint8Array {
  const bytes = Buffer.from(quoted.buffer, quoted.byteOffset, quoted.byteLength)
  return Buffer.from(JSON.parse(bytes.toString('latin1')) as string, 'latin1')
}

/** A JSON object with the member `text` after the others, as bytes of UTF-8; the text as `quoteText` has it. */
export function formatWithText(members: object, quoted: Uint8Array): Uint8Array {
  const before = `${JSON.stringify(members).slice(0, -1)},"text":`
  return Buffer.concat([Buffer.from(before), quoted, Buffer.from('}')])
}

/** JSON values, as bytes of UTF-8, as a JSON list. */
export function formatList(values: readonly Uint8Array[]): Uint8Array {
  const parts = values.flatMap((value) => [Buffer.from(','), value]).slice(1)
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')])
}
