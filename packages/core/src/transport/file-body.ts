import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { AttachmentError, describeError } from '../model/errors'
import type { FilePace } from '../file-pace'

const READ_BYTES = 64 * 1024

export interface FileBody {
  path: string
  sizeBytes: number
}

/**
 * The bytes of a file, opened anew for each reader and only when reading begins. A file that is still growing is cut at
 * the size that was announced.
 * @throws AttachmentError while reading, when the file cannot be read or has become shorter.
 */
export function openFileBody(file: FileBody): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => readExactly(file) }
}

async function* readExactly(file: FileBody): AsyncGenerator<Uint8Array> {
  let readBytes = 0
  try {
    for await (const chunk of createReadStream(file.path, {
      end: file.sizeBytes - 1,
      highWaterMark: READ_BYTES,
    }) as AsyncIterable<Uint8Array>) {
      readBytes += chunk.byteLength
      yield chunk
    }
  } catch (error) {
    throw new AttachmentError(`the file cannot be read: ${describeError(error)}`, { cause: error })
  }
  if (readBytes < file.sizeBytes) {
    throw new AttachmentError(`the file has shrunk from ${file.sizeBytes} to ${readBytes} bytes`)
  }
}

/** A larger file is not read whole, in bytes. */
export const WHOLE_FILE_BYTES = 256 * 1024

/** Used again and again, as many as small files are sent at once: thousands of files would leave hundreds of megabytes. */
const spareBuffers: Buffer[] = []

/** The bytes of a small file, to be given back when nothing reads them any more. */
export interface SmallFile {
  bytes: Uint8Array
  giveBack: () => void
}

/**
 * Reads a file of at most `WHOLE_FILE_BYTES`, whole, at its disk's pace; one that is still growing is cut.
 * @throws AttachmentError, as above
 */
export async function readSmallFile(file: FileBody, pace: FilePace): Promise<SmallFile> {
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(WHOLE_FILE_BYTES)
  const giveBack = (): void => void spareBuffers.push(buffer)
  const reading = pace.do(
    () => readStartAtOnce(file, buffer),
    () => readStart(file, buffer),
  )
  const readBytes = await reading.catch((error: unknown) => {
    giveBack()
    return refuseUnreadable(error)
  })
  const { sizeBytes } = file
  if (readBytes === sizeBytes) return { bytes: buffer.subarray(0, sizeBytes), giveBack }
  giveBack()
  throw new AttachmentError(`the file has shrunk from ${sizeBytes} to ${readBytes} bytes`)
}

async function readStart({ path, sizeBytes }: FileBody, into: Buffer): Promise<number> {
  const file = await open(path, 'r')
  try {
    return (await file.read(into, 0, sizeBytes, 0)).bytesRead
  } finally {
    await file.close()
  }
}

function readStartAtOnce({ path, sizeBytes }: FileBody, into: Buffer): number {
  const descriptor = openSync(path, 'r')
  try {
    return readSync(descriptor, into, 0, sizeBytes, 0)
  } finally {
    closeSync(descriptor)
  }
}

const PIECE_BYTES = 512 * 1024

/**
 * Hands a file on in pieces, the next one being read while one is written; `write` answers when the piece may be
 * overwritten, false to have no more. A file that is still growing is cut at the size that was announced.
 * @throws AttachmentError, as above
 */
export async function pipeFile(
  { path, sizeBytes }: FileBody,
  write: (piece: Uint8Array) => Promise<boolean>,
): Promise<void> {
  const file = await open(path, 'r').catch(refuseUnreadable)
  try {
    const buffers = [Buffer.allocUnsafe(PIECE_BYTES), Buffer.allocUnsafe(PIECE_BYTES)] as const
    const read = async (fromByte: number): Promise<Uint8Array> => {
      const buffer = buffers[(fromByte / PIECE_BYTES) % 2] as Buffer
      const length = Math.min(PIECE_BYTES, sizeBytes - fromByte)
      const { bytesRead } = await file.read(buffer, 0, length, fromByte).catch(refuseUnreadable)
      if (bytesRead < length)
        throw new AttachmentError(`the file has shrunk from ${sizeBytes} to ${fromByte + bytesRead} bytes`)
      return buffer.subarray(0, length)
    }
    let piece = read(0)
    for (let doneBytes = 0; doneBytes < sizeBytes; doneBytes += PIECE_BYTES) {
      const current = await piece
      const nextByte = doneBytes + PIECE_BYTES
      if (nextByte < sizeBytes) {
        piece = read(nextByte)
        // It is told where it is waited for.
        piece.catch(() => undefined)
      }
      if (!(await write(current))) return
    }
  } finally {
    await file.close()
  }
}

function refuseUnreadable(error: unknown): never {
  throw new AttachmentError(`the file cannot be read: ${describeError(error)}`, { cause: error })
}
