import type { Pace } from '@runledger/protocol'
import { decodeText } from './decode-text'
import { fileOf } from './read-error'
import { toStandardJson } from './standard-json'

/** Each costs memory, however short it is written. */
const MAX_VALUES = 2_000_000

const [COMMA, OPEN, BRACKET] = new TextEncoder().encode(',{[')

/** Parses a file of JSON. @throws ReadError that says where it breaks off or is wrong */
export async function readJson(bytes: Uint8Array, pace?: Pace): Promise<unknown> {
  const standard = await toStandardJson(bytes, pace)
  let count = 0
  for (const byte of standard) if (byte === COMMA || byte === OPEN || byte === BRACKET) count += 1
  if (count > MAX_VALUES) throw fileOf(`it has more than ${MAX_VALUES} values: split it`)
  const text = decodeText(standard)
  try {
    return JSON.parse(text)
  } catch (error) {
    // Node quotes the text around the place, which may be long.
    const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0] ?? 'at its end'
    throw fileOf(`it is not valid JSON: it breaks off or is wrong ${place}`)
  }
}
