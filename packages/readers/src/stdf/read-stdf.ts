import type { Pace } from '@runledger/protocol'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fileOf, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import type { UnitReport } from '../unit/report'
import { collectParts } from './collect-parts'
import { DECODERS } from './decode-record'
import { FieldReader } from './field-reader'
import type { LineRecord } from './records'

const MAX_BYTES = 64 * 1024 * 1024
const HEADER_BYTES = 4

/** Reads STDF V4 of either byte order, also compressed by gzip: a report of each part. @throws ReadError */
export async function* readStdf(
  bytes: Uint8Array,
  times: TimeReader,
  pace?: Pace,
): AsyncGenerator<UnitReport> {
  const plain = await unpack(bytes)
  yield* collectParts((types) => listRecords(plain, types), { format: 'STDF', times, pace })
}

async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw fileOf(
      isTooLong
        ? `it unpacks to more than ${MAX_BYTES} bytes: split it`
        : 'it is not a whole gzip archive: it is damaged or broke off',
    )
  }
}

function* listRecords(bytes: Uint8Array, types?: ReadonlySet<string>): Generator<LineRecord> {
  const isLittle = readByteOrder(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < bytes.length;) {
    const place = [`byte ${at}`]
    if (at + HEADER_BYTES > bytes.length)
      throw new ReadError([{ path: place, message: 'has half a record: the file broke off' }])
    const length = view.getUint16(at, isLittle)
    const start = at + HEADER_BYTES
    const kind = `${view.getUint8(at + 2)}.${view.getUint8(at + 3)}`
    if (start + length > bytes.length)
      throw new ReadError([
        {
          path: place,
          message: `has a record (type ${kind}) of ${length} bytes, and the file ends before its end: it is damaged or broke off`,
        },
      ])
    const record = DECODERS[kind]?.(new FieldReader(bytes.subarray(start, start + length), isLittle), place)
    if (record !== undefined && (types === undefined || types.has(record.type))) yield record
    at = start + length
  }
}

/** Whether numbers have their lowest byte first, as the file attributes record says. @throws ReadError */
function readByteOrder(bytes: Uint8Array): boolean {
  const [, , type, subtype, processor, version] = bytes
  if (type !== 0 || subtype !== 10)
    throw fileOf('it is not STDF: it does not begin with a file attributes record (FAR)')
  if (version !== 4) throw fileOf(`it is STDF V${version}, and only V4 is read`)
  if (processor === 1) return false
  if (processor === 2) return true
  throw fileOf(`its numbers are those of processor ${processor} (CPU_TYPE), and only 1 and 2 are read`)
}
