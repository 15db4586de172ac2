import type { Pace } from '@runledger/protocol'
import { readOutsideTexts } from './outside-texts'
import { fileOf } from './read-error'

/** Names of numbers as Python's json module writes them. */
const NAMES = ['NaN', 'Infinity', '-Infinity'].map((name) => ({
  bytes: new TextEncoder().encode(name),
  text: new TextEncoder().encode(`"${name}"`),
}))
const FIRST_BYTES = new Set(new TextEncoder().encode('NI-'))

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
  let readTo = 0
  const handle = (byte: number, at: number) => {
    if (at < readTo || !FIRST_BYTES.has(byte)) return
    const name = NAMES.find((one) => one.bytes.every((each, index) => bytes[at + index] === each))
    if (!name) return
    found(at, name)
    readTo = at + name.bytes.length
  }
  await readOutsideTexts(bytes, handle, { pace })
}
