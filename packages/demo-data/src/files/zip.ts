import { crc32, deflateRawSync } from 'node:zlib'

const LOCAL_HEAD = 0x04034b50
const CENTRAL_HEAD = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const DEFLATED = 8
/** 1 January 2026 in DOS format. A fixed date keeps the bytes equal. */
const DATE = ((2026 - 1980) << 9) | (1 << 5) | 1

export function zip(files: readonly (readonly [name: string, content: string | Uint8Array])[]): Uint8Array {
  const locals: Uint8Array[] = []
  const centrals: Uint8Array[] = []
  let offset = 0
  for (const [name, content] of files) {
    const bytes = Buffer.from(content)
    const deflated = deflateRawSync(bytes)
    const facts = describe({ name, bytes, deflated })
    const local = Buffer.concat([numbers([4, LOCAL_HEAD]), facts, Buffer.from(name), deflated])
    // No comment, disk 0, attributes, then the offset of the local header.
    const place = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset])
    centrals.push(numbers([4, CENTRAL_HEAD], [2, VERSION]), facts, place, Buffer.from(name))
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const end = numbers(
    [4, END],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, central.length],
    [4, offset],
    [2, 0],
  )
  return Buffer.concat([...locals, central, end])
}

/** The fields that both headers of a file share: version, flags, method, time, date, checksum, sizes, lengths of name and extra field. */
function describe({
  name,
  bytes,
  deflated,
}: {
  name: string
  bytes: Uint8Array
  deflated: Uint8Array
}): Buffer {
  return numbers(
    [2, VERSION],
    [2, 0],
    [2, DEFLATED],
    [2, 0],
    [2, DATE],
    [4, crc32(bytes)],
    [4, deflated.length],
    [4, bytes.length],
    [2, Buffer.byteLength(name)],
    [2, 0],
  )
}

/** Integers of 2 or 4 bytes each, little-endian. */
function numbers(...fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  const all = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of fields) at = all.writeUIntLE(value, at, bytes)
  return all
}
