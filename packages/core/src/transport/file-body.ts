import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { AttachmentError, describeError } from '../errors'

const READ_BYTES = 64 * 1024

/**
 * The bytes of a file, opened anew for each reader and only when reading begins. A file that is still growing is cut at
 * the size that was announced.
 * @throws AttachmentError while reading, when the file cannot be read or has become shorter.
 */
export function openFileBody(file: { path: string; sizeBytes: number }): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => readExactly(file) }
}

async function* readExactly(file: { path: string; sizeBytes: number }): AsyncGenerator<Uint8Array> {
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

/** The bytes of a small file, whole; one that is still growing is cut. @throws AttachmentError, as above */
export async function readFileBody({
  path,
  sizeBytes,
}: {
  path: string
  sizeBytes: number
}): Promise<Buffer> {
  const { bytesRead, buffer } = await readStart(path, sizeBytes).catch((error: unknown) => {
    throw new AttachmentError(`the file cannot be read: ${describeError(error)}`, { cause: error })
  })
  if (bytesRead < sizeBytes) {
    throw new AttachmentError(`the file has shrunk from ${sizeBytes} to ${bytesRead} bytes`)
  }
  return buffer
}

async function readStart(path: string, sizeBytes: number): Promise<{ bytesRead: number; buffer: Buffer }> {
  const file = await open(path, 'r')
  try {
    return await file.read(Buffer.allocUnsafe(sizeBytes), 0, sizeBytes, 0)
  } finally {
    await file.close()
  }
}
