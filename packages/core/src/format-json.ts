const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PLAIN = 0x20
const LONGEST_ESCAPE = 6

/** What JSON has in place of a byte that cannot stand in a text as it is. */
const ESCAPES = new Map(
  [...Array.from({ length: FIRST_PLAIN }, (_, code) => code), QUOTE, BACKSLASH].map((code) => [
    code,
    Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1)),
  ]),
)

/**
 * A text in UTF-8 as JSON has it, quotes included: what `JSON.stringify` makes of it, without a string of it in the
 * heap. Logs go this way twice, into the spool and into the request.
 */
export function quoteText(text: Uint8Array): Uint8Array {
  let escaped = 0
  for (let index = 0; index < text.byteLength; index += 1)
    if (needsEscape(text[index] as number)) escaped += 1
  const quoted = Buffer.allocUnsafe(text.byteLength + escaped * (LONGEST_ESCAPE - 1) + 2)
  let end = 0
  quoted[end++] = QUOTE
  for (let index = 0; index < text.byteLength; index += 1) {
    const code = text[index] as number
    if (needsEscape(code)) for (const byte of ESCAPES.get(code) as Buffer) quoted[end++] = byte
    else quoted[end++] = code
  }
  quoted[end++] = QUOTE
  return quoted.subarray(0, end)
}

function needsEscape(code: number): boolean {
  return code < FIRST_PLAIN || code === QUOTE || code === BACKSLASH
}

/** A JSON object with the member `text` after the others, as bytes of UTF-8. */
export function formatWithText(members: object, text: Uint8Array): Uint8Array {
  const before = `${JSON.stringify(members).slice(0, -1)},"text":`
  return Buffer.concat([Buffer.from(before), quoteText(text), Buffer.from('}')])
}

/** JSON values, as bytes of UTF-8, as a JSON list. */
export function formatList(values: readonly Uint8Array[]): Uint8Array {
  const parts = values.flatMap((value) => [Buffer.from(','), value]).slice(1)
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')])
}
