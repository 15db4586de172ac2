import type { Pace } from '@runledger/protocol'

const PIECE_BYTES = 64 * 1024

const [QUOTE = 0, BACKSLASH] = new TextEncoder().encode('"\\')

interface Reading {
  /** Place of the first byte to read. */
  from?: number
  pace?: Pace | undefined
}

/** Passes on each byte of JSON outside of texts. Long texts, too, are read at the pace given. */
export async function readOutsideTexts(
  json: Uint8Array,
  handle: (byte: number, at: number) => void,
  { from = 0, pace }: Reading = {},
): Promise<void> {
  let [at, restAt] = [from, from + PIECE_BYTES]
  let isText = false
  while (at < json.length) {
    if (at >= restAt) {
      restAt = at + PIECE_BYTES
      if (pace?.isOver) await pace.rest()
    }
    if (isText) at = skipText(json, at, restAt)
    const byte = json[at] as number
    if (byte === QUOTE) isText = !isText
    else if (isText) continue
    else handle(byte, at)
    at += 1
  }
}

/** Returns the place of the closing quote. After `until`, may also return the place after an escaped quote. */
function skipText(json: Uint8Array, start: number, until: number): number {
  let from = start
  while (from < until) {
    const quote = json.indexOf(QUOTE, from)
    if (quote === -1) return json.length
    if (!isEscaped(json, quote, from)) return quote
    from = quote + 1
  }
  return from
}

/** Whether an odd number of backslashes is before the place. */
function isEscaped(json: Uint8Array, at: number, from: number): boolean {
  let first = at
  while (first > from && json[first - 1] === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}
