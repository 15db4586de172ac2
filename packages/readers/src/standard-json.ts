import type { Pace } from '@runledger/protocol'
import { fileOf } from './read-error'

const PIECE_BYTES = 64 * 1024

const [QUOTE, BACKSLASH, MINUS] = new TextEncoder().encode('"\\-')

/** Names of numbers as Python's json module writes them. */
const NAMES = ['NaN', 'Infinity', '-Infinity'].map((name) => ({
  bytes: new TextEncoder().encode(name),
  text: new TextEncoder().encode(`"${name}"`),
}))
const FIRST_BYTES = new Set([...new TextEncoder().encode('NI'), MINUS])

/** First bytes of other file types. */
const OTHER_FILES = [
  { start: [0x1f, 0x8b], what: 'a gzip archive: upload the file in it' },
  { start: [0x50, 0x4b, 0x03, 0x04], what: 'a ZIP archive or an Excel workbook: upload the file in it' },
  { start: [0xff, 0xfe], what: 'encoded as UTF-16: write it as UTF-8' },
  { start: [0xfe, 0xff], what: 'encoded as UTF-16: write it as UTF-8' },
] as const

/** @throws ReadError for bytes that no reader of text can read */
export function checkText(bytes: Uint8Array): void {
  if (bytes.length === 0) throw fileOf('The file is empty.')
  const other = OTHER_FILES.find(({ start }) => start.every((byte, index) => bytes[index] === byte))
  if (other) throw fileOf(`The file is ${other.what}.`)
}

/**
 * JSON of Python as standard JSON: `NaN`, `Infinity` and `-Infinity` become texts of that name. Returns the same bytes when
 * there are none. @throws ReadError
 */
export async function toStandardJson(bytes: Uint8Array, pace?: Pace): Promise<Uint8Array> {
  checkText(bytes)
  let count = 0
  await findNames(bytes, () => void (count += 1), pace)
  if (count === 0) return bytes
  // Each gets two quotes. They may be millions: no list of them.
  const whole = new Uint8Array(bytes.length + 2 * count)
  let [from, to] = [0, 0]
  const copy = (part: Uint8Array) => {
    whole.set(part, to)
    to += part.length
  }
  const replace = (at: number, name: (typeof NAMES)[number]) => {
    copy(bytes.subarray(from, at))
    copy(name.text)
    from = at + name.bytes.length
  }
  await findNames(bytes, replace, pace)
  copy(bytes.subarray(from))
  return whole
}

/** Reports each such name outside of texts. */
async function findNames(
  bytes: Uint8Array,
  found: (at: number, name: (typeof NAMES)[number]) => void,
  pace: Pace | undefined,
): Promise<void> {
  let [at, restAt] = [0, PIECE_BYTES]
  let isText = false
  while (at < bytes.length) {
    if (at >= restAt) {
      restAt = at + PIECE_BYTES
      if (pace?.isOver) await pace.rest()
    }
    if (isText) at = skipText(bytes, at, restAt)
    const byte = bytes[at] as number
    if (byte === QUOTE) isText = !isText
    else if (isText) continue
    else if (FIRST_BYTES.has(byte)) {
      const name = NAMES.find((one) => one.bytes.every((each, index) => bytes[at + index] === each))
      if (name) {
        found(at, name)
        at += name.bytes.length - 1
      }
    }
    at += 1
  }
}

/** The place of the quote that ends this text, or the first unread place from `until` on. */
function skipText(bytes: Uint8Array, start: number, until: number): number {
  let at = start
  while (at < until && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
