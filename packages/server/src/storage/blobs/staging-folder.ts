import { createHash, randomUUID } from 'node:crypto'
import { access, constants, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { HttpError } from '../../base/errors'
import { syncDescriptor } from '../folder/blob-files'
import type { StagedBlob } from './blob-store'

/** The bytes are whole and on disk. */
export interface StagedFile {
  path: string
  sha256: string
  sizeBytes: number
}

export class StagingFolder {
  readonly #folder: string

  /** Deletes what an earlier process left half received. */
  static async open(folder: string): Promise<StagingFolder> {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new StagingFolder(folder)
  }

  private constructor(folder: string) {
    this.#folder = folder
  }

  checkReachable(): Promise<void> {
    return access(this.#folder, constants.W_OK | constants.X_OK)
  }

  /** Like `BlobStore.stage`; `keep` may move the file. */
  async stage(
    body: Readable,
    maxBytes: number,
    keep: (file: StagedFile) => Promise<string>,
  ): Promise<StagedBlob> {
    const path = join(this.#folder, randomUUID())
    try {
      const { sha256, sizeBytes } = await writeFile(path, body, maxBytes)
      return {
        sha256,
        sizeBytes,
        keep: () => keep({ path, sha256, sizeBytes }),
        discard: () => rm(path, { force: true }),
      }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }
}

/** On disk when this resolves. */
async function writeFile(path: string, body: Readable, maxBytes: number) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
    // Keep a refused body open: the client still needs the connection for the response.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw tooLargeError(maxBytes)
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    await syncDescriptor(file.fd)
  } finally {
    await file.close()
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

export function tooLargeError(maxBytes: number): HttpError {
  return new HttpError(
    'PAYLOAD_TOO_LARGE',
    `The attachment is larger than ${maxBytes} bytes, the most that this service takes (--max-attachment-bytes).`,
  )
}
