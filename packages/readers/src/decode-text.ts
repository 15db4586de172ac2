import { TextDecoder } from 'node:util'
import { fileOf, ReadError } from './read-error'

const BYTE_ORDER_MARKS: [mark: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
  // `<` in UTF-16, where there is no mark.
  [[0x3c, 0], 'utf-16le'],
  [[0, 0x3c], 'utf-16be'],
]

/** The text of a file: by its byte order mark, else by the encoding that its XML declaration names, else UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  const marked = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1]
  const encoding = marked ?? readDeclaration(bytes) ?? 'utf-8'
  if (marked === undefined && /^utf-?16/i.test(encoding))
    throw fileOf(`it declares the encoding ${encoding}, but is not written in it`)
  try {
    return createDecoder(encoding).decode(bytes)
  } catch (error) {
    if (error instanceof ReadError) throw error
    throw fileOf(`it is not valid ${encoding}: write it in UTF-8, or declare its encoding in its first line`)
  }
}

function createDecoder(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    throw fileOf(`it declares the encoding ${encoding}, which is not known: write it in UTF-8`)
  }
}

function readDeclaration(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  return /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1]
}
