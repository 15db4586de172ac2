import { isUtf8 } from 'node:buffer'
import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import type { NoteSecret } from './masker'

/** Takes secrets out of one text, and notes them where they are wanted. */
export type MaskText = (text: string, note?: NoteSecret) => string

/** Length in bytes and SHA-256 (hexadecimal) of what was written. */
export interface Written {
  sizeBytes: number
  sha256: string
}

/** Only the user may read what is written. */
const FILE_MODE = 0o600

/** How much of a file is masked in one go. */
const READ_BYTES = 1024 * 1024

/** The end of a chunk may begin a secret: so many characters are searched again with the next chunk. */
const HELD_BACK = 32 * 1024

/** If everything looks like one secret, chunks may be cut anywhere beyond this length. */
const MAX_HELD = 8 * 1024 * 1024
const MAX_TRIES = 4

type TextEncoding = 'utf8' | 'latin1' | WideEncoding
type WideEncoding = 'utf16le' | 'utf16be'

/** Bytes without secrets; the same array if there are none, or if the bytes are no text. */
export function maskBytes(bytes: Uint8Array, kind: TextKind, mask: MaskText): Uint8Array {
  if (!isText(kind, bytes)) return bytes
  const encoding = findWideEncoding(bytes) ?? (isUtf8(bytes) ? 'utf8' : 'latin1')
  const text = new Decoder(encoding).end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const masked = mask(text)
  return masked === text ? bytes : encode(masked, encoding)
}

/** Copies a text file without its secrets, chunk by chunk; undefined for other files. Throws the system's errors. */
export async function copyMasked(
  { from, to }: { from: string; to: string },
  kind: TextKind,
  mask: MaskText,
): Promise<Written | undefined> {
  const source = await open(from, 'r')
  try {
    const first = await readChunk(source, 0)
    if (!isText(kind, first)) return undefined
    const isWhole = first.byteLength < READ_BYTES
    if (isWhole) return await write(to, [maskBytes(first, kind, mask)])
    // Nothing else is left of a file that is neither of the first two.
    const wide = findWideEncoding(first)
    const encodings: TextEncoding[] = wide ? [wide] : ['utf8', 'latin1']
    for (const encoding of encodings) {
      const written = await write(to, maskPieces(source, encoding, mask)).catch(passOver)
      if (written !== undefined) return written
    }
    return undefined
  } finally {
    await source.close()
  }
}

class NotThisEncoding extends Error {
  override name = 'NotThisEncoding'
}

function passOver(error: unknown): undefined {
  if (!(error instanceof NotThisEncoding)) throw error
}

async function* maskPieces(
  source: FileHandle,
  encoding: TextEncoding,
  mask: MaskText,
): AsyncGenerator<Uint8Array> {
  const decoder = new Decoder(encoding)
  let held = ''
  for (let position = 0; ;) {
    const bytes = await readChunk(source, position)
    position += bytes.byteLength
    const isLast = bytes.byteLength < READ_BYTES
    const text = held + (isLast ? decoder.end(bytes) : decoder.write(bytes))
    if (encoding === 'utf8' && text.includes('\uFFFD')) throw new NotThisEncoding()
    if (isLast) return yield encode(mask(text), encoding)
    const cut = findCut(text, mask)
    yield encode(mask(text.slice(0, cut)), encoding)
    held = text.slice(cut)
  }
}

/** Node does not decode big-endian UTF-16, so pairs of bytes are swapped. Pieces have an even length, except the last. */
class Decoder {
  readonly #decoder: StringDecoder
  readonly #isSwapped: boolean

  constructor(encoding: TextEncoding) {
    this.#isSwapped = encoding === 'utf16be'
    this.#decoder = new StringDecoder(encoding === 'utf16be' ? 'utf16le' : encoding)
  }

  write(bytes: Buffer): string {
    return this.#decoder.write(this.#isSwapped ? swapPairs(bytes) : bytes)
  }

  end(bytes: Buffer): string {
    return this.write(bytes) + this.#decoder.end()
  }
}

function encode(text: string, encoding: TextEncoding): Buffer {
  return encoding === 'utf16be' ? swapPairs(Buffer.from(text, 'utf16le')) : Buffer.from(text, encoding)
}

function swapPairs(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy.subarray(0, copy.length - (copy.length % 2)).swap16()
  return copy
}

/** The last line end before the held-back part where no secret is cut in two; 0 if there is none yet. */
function findCut(text: string, mask: MaskText): number {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const limit = text.length - tries * HELD_BACK
    if (limit <= 0) return 0
    const lineEnd = text.lastIndexOf('\n', limit) + 1
    const cut = lineEnd > limit - HELD_BACK ? lineEnd : limit
    if (isApart(text, cut, mask)) return cut
  }
  return text.length > MAX_HELD ? text.length - HELD_BACK : 0
}

function isApart(text: string, cut: number, mask: MaskText): boolean {
  const before = text.slice(Math.max(0, cut - HELD_BACK), cut)
  const after = text.slice(cut, cut + HELD_BACK)
  const ignore = (): void => undefined
  return mask(before + after, ignore) === mask(before, ignore) + mask(after, ignore)
}

async function readChunk(source: FileHandle, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let length = 0
  while (length < READ_BYTES) {
    const { bytesRead } = await source.read(buffer, length, READ_BYTES - length, position + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

async function write(to: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Written> {
  const hash: Hash = createHash('sha256')
  let sizeBytes = 0
  const target = await open(to, 'w', FILE_MODE)
  try {
    for await (const chunk of chunks) {
      await target.writeFile(chunk)
      hash.update(chunk)
      sizeBytes += chunk.byteLength
    }
    return { sizeBytes, sha256: hash.digest('hex') }
  } finally {
    await target.close()
  }
}

/** How a media type says what its bytes are. */
export type TextKind = 'text' | 'binary' | 'unknown'

const TEXT =
  /^(?:text\/|image\/svg|message\/|application\/(?:[\w.+-]*(?:json|xml|yaml|javascript|ecmascript|x-sh|sql|graphql|x-www-form-urlencoded|x-ndjson|toml|x-pem-file)))/i
const BINARY =
  /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|gzip|wasm|x-tar|x-7z-compressed|vnd\.(?:ms|openxml|oasis|rar))/i

/** How much of unnamed bytes is looked at. */
const SNIFFED_BYTES = 8 * 1024

/** What bytes are by their media type. */
export function deriveTextKind(mediaType: string): TextKind {
  if (TEXT.test(mediaType)) return 'text'
  return BINARY.test(mediaType) ? 'binary' : 'unknown'
}

/** Bytes of an unknown type count as text with at most one zero in this many bytes. */
const BYTES_FOR_ZERO = 100

/** True for bytes to be searched for secrets: those named as text, and those of an unknown type that read as text. */
function isText(kind: TextKind, beginning: Uint8Array): boolean {
  if (kind !== 'unknown') return kind === 'text'
  const start = beginning.subarray(0, SNIFFED_BYTES)
  if (findWideEncoding(start)) return true
  return countZeros(start, 1) <= Math.ceil(start.length / BYTES_FOR_ZERO) && isUtf8(cutAtCharacter(start))
}

/** Recognises UTF-16: by its mark, or because one byte of each pair is usually zero and the other rarely. */
function findWideEncoding(bytes: Uint8Array): WideEncoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && !(bytes[2] === 0 && bytes[3] === 0)) return 'utf16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf16be'
  const start = bytes.subarray(0, SNIFFED_BYTES)
  if (start.length < 4 || !start.includes(0)) return undefined
  const [first, second] = [countZeros(start, 2), countZeros(start.subarray(1), 2)]
  const usual = start.length / 4
  const rare = start.length / BYTES_FOR_ZERO
  if (second > usual && first <= rare) return 'utf16le'
  return first > usual && second <= rare ? 'utf16be' : undefined
}

function countZeros(bytes: Uint8Array, step: 1 | 2): number {
  let count = 0
  for (let index = 0; index < bytes.length; index += step) if (bytes[index] === 0) count += 1
  return count
}

/** Without the character that the end may have cut. */
function cutAtCharacter(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < SNIFFED_BYTES) return bytes
  let end = bytes.byteLength
  while (end > bytes.byteLength - 4 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, Math.max(0, end - 1))
}
