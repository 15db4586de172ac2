import { HttpError } from '../errors'

/** Most lists and objects in one body: a run of 64 MiB with steps of the usual size has half as many. */
export const MAX_CONTAINERS = 1_000_000

/** Most values in the lists and objects of one body together: more numbers of 16 characters do not fit in 64 MiB. */
export const MAX_VALUES = 4_000_000

// Below this size no body can hold enough to matter, and most bodies are.
const SMALL_BYTES = 1024 * 1024

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT] = Buffer.from('"\\,[{')

/**
 * Refuses a body of JSON that would take gigabytes of memory once it is parsed: `[[[[…` and `{},{},…` take some sixty
 * bytes for each of theirs. @throws HttpError PAYLOAD_TOO_LARGE
 */
export function refuseCrowdedBody(payload: Buffer): void {
  if (payload.length <= SMALL_BYTES) return
  const { containers, commas } = countTokens(payload)
  if (containers <= MAX_CONTAINERS && commas <= MAX_VALUES) return
  throw new HttpError(
    'PAYLOAD_TOO_LARGE',
    `The body has more than ${MAX_CONTAINERS} lists and objects, or more than ${MAX_VALUES} values. Send less in one request.`,
  )
}

function countTokens(payload: Buffer): { containers: number; commas: number } {
  let containers = 0
  let commas = 0
  for (let at = 0; at < payload.length; at += 1) {
    const byte = payload[at]
    if (byte === QUOTE) at = findStringEnd(payload, at)
    else if (byte === COMMA) commas += 1
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) containers += 1
  }
  return { containers, commas }
}

/** Where the string ends that begins here; the end of the body when it does not. */
function findStringEnd(payload: Buffer, start: number): number {
  let end = start + 1
  while (end < payload.length && payload[end] !== QUOTE) end += payload[end] === BACKSLASH ? 2 : 1
  return end
}
