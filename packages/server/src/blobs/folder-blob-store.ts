import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { HttpError } from '../errors'
import { blobPath, listDigests, listPrefixes, moveBlob, STAGING_FOLDER, syncDescriptor } from './blob-files'
import type { BlobStore, ByteRange, StagedBlob } from './blob-store'

const LIST_SIZE = 500

/** Bytes in a folder, as `aa/<sha256>`. What a former process left half received is swept. */
export async function openFolderBlobStore(folder: string): Promise<BlobStore> {
  const staging = join(folder, STAGING_FOLDER)
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  return new FolderBlobStore(folder, staging)
}

class FolderBlobStore implements BlobStore {
  readonly #folder: string
  readonly #staging: string
  readonly #locks = new KeyedLock()

  constructor(folder: string, staging: string) {
    this.#folder = folder
    this.#staging = staging
  }

  checkReachable(): Promise<void> {
    return access(this.#staging, constants.W_OK | constants.X_OK)
  }

  async stage(body: Readable, maxBytes: number): Promise<StagedBlob> {
    const path = join(this.#staging, randomUUID())
    try {
      const { sha256, sizeBytes } = await writeFile(path, body, maxBytes)
      return {
        sha256,
        sizeBytes,
        keep: () => this.#keep(path, sha256),
        discard: () => rm(path, { force: true }),
      }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  async #keep(path: string, sha256: string): Promise<void> {
    if (await exists(blobPath(this.#folder, sha256))) return rm(path, { force: true })
    await moveBlob(path, this.#folder, sha256)
  }

  read(sha256: string, range?: ByteRange): Readable {
    return createReadStream(blobPath(this.#folder, sha256), range)
  }

  async remove(sha256: string): Promise<void> {
    await rm(blobPath(this.#folder, sha256), { force: true })
  }

  async *list(): AsyncIterable<string[]> {
    for (const prefix of await listPrefixes(this.#folder)) {
      const digests = await listDigests(this.#folder, prefix)
      for (let from = 0; from < digests.length; from += LIST_SIZE) yield digests.slice(from, from + LIST_SIZE)
    }
  }

  withLock<Result>(sha256: string, work: () => Promise<Result>): Promise<Result> {
    return this.#locks.run(sha256, work)
  }
}

/** Writes a stream to a new file, on disk when this resolves, and measures it on the way. */
async function writeFile(path: string, body: Readable, maxBytes: number) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
    // A body that is refused is left open: destroying it would cut the connection before the client is told.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw createTooLarge(maxBytes)
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    await syncDescriptor(file.fd)
  } finally {
    await file.close()
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

export function createTooLarge(maxBytes: number): HttpError {
  return new HttpError(
    'PAYLOAD_TOO_LARGE',
    `The attachment is larger than ${maxBytes} bytes, the most that this service takes (--max-attachment-bytes).`,
  )
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Lets one piece of work run at a time for each key, in the order asked. */
class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const settled = result.catch(() => undefined)
    this.#last.set(key, settled)
    try {
      return await result
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }
}
