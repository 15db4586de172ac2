import type { Pace } from '@runledger/protocol'
import { decodeText } from './decode-text'
import { fileOf } from './read-error'
import { toStandardJson } from './standard-json'

/** Each value costs memory, however short it is. */
const MAX_VALUES = 2_000_000

const [COMMA, OPEN, BRACKET] = new TextEncoder().encode(',{[')

/** Parses JSON without the names of numbers that Python writes. */
export type ParseJson = (json: Uint8Array) => unknown

/** Parses a file of JSON, in one go unless `parse` does it otherwise. @throws ReadError that says where it breaks off or is wrong */
export async function readJson(
  bytes: Uint8Array,
  pace?: Pace,
  parse: ParseJson = parseAtOnce,
): Promise<unknown> {
  return parse(await toStandardJson(bytes, pace))
}

function parseAtOnce(json: Uint8Array): unknown {
  let count = 0
  for (const byte of json) if (byte === COMMA || byte === OPEN || byte === BRACKET) count += 1
  if (count > MAX_VALUES) throw fileOf(`it has more than ${MAX_VALUES} values: split it`)
  const text = decodeText(json)
  try {
    return JSON.parse(text)
  } catch (error) {
    // Node quotes the text around the place, which may be long.
    const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0] ?? 'at its end'
    throw fileOf(`it is not valid JSON: it breaks off or is wrong ${place}`)
  }
}
