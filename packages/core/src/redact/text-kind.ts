import { isUtf8 } from 'node:buffer'
import { deriveMediaType, formatFileName } from '../record/file-name'
import type { Attachment } from '../model/suite'

/** How a media type says what its bytes are. */
export type TextKind = 'text' | 'binary' | 'unknown'

const TEXT =
  /^(?:text\/|image\/svg|message\/|application\/(?:[\w.+-]*(?:json|xml|yaml|javascript|ecmascript|x-sh|sql|graphql|x-www-form-urlencoded|x-ndjson|toml|x-pem-file)))/i
const BINARY =
  /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|gzip|wasm|x-tar|x-7z-compressed|vnd\.(?:ms|openxml|oasis|rar))/i

/** How much of unnamed bytes is looked at. */
export const SNIFFED_BYTES = 8 * 1024

/** What an attachment's bytes are by its media type, or by its name where it has none. */
export function deriveTextKind(attachment: Attachment): TextKind {
  const mediaType = deriveMediaType(attachment, formatFileName(attachment))
  if (TEXT.test(mediaType)) return 'text'
  return BINARY.test(mediaType) ? 'binary' : 'unknown'
}

/** True for bytes to be searched for secrets: what is called text and has no zero byte, and what nobody calls anything and reads as text. */
export function isText(kind: TextKind, beginning: Uint8Array): boolean {
  if (kind === 'binary') return false
  const start = beginning.subarray(0, SNIFFED_BYTES)
  if (start.includes(0)) return isWide(start)
  return kind === 'text' || isUtf8(cutAtCharacter(start))
}

/** Text of two bytes each, as some tools write on Windows. */
export function isWide(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe && !(bytes[2] === 0 && bytes[3] === 0)
}

/** Without the character that the end may have cut. */
function cutAtCharacter(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < SNIFFED_BYTES) return bytes
  let end = bytes.byteLength
  while (end > bytes.byteLength - 4 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, Math.max(0, end - 1))
}
