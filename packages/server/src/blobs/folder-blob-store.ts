import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { blobPath, listDigests, listPrefixes, moveBlob, STAGING_FOLDER } from './blob-files'
import type { BlobStore, ByteRange, StagedBlob } from './blob-store'
import { type StagedFile, StagingFolder } from './staging-folder'

const LIST_SIZE = 500

/** Bytes in a folder, as `aa/<sha256>`. */
export async function openFolderBlobStore(folder: string): Promise<BlobStore> {
  return new FolderBlobStore(folder, await StagingFolder.open(join(folder, STAGING_FOLDER)))
}

class FolderBlobStore implements BlobStore {
  readonly #folder: string
  readonly #staging: StagingFolder

  constructor(folder: string, staging: StagingFolder) {
    this.#folder = folder
    this.#staging = staging
  }

  checkReachable(): Promise<void> {
    return this.#staging.checkReachable()
  }

  stage(body: Readable, maxBytes: number): Promise<StagedBlob> {
    return this.#staging.stage(body, maxBytes, (file) => this.#keep(file))
  }

  async #keep({ path, sha256 }: StagedFile): Promise<void> {
    if (await exists(blobPath(this.#folder, sha256))) return rm(path, { force: true })
    await moveBlob(path, this.#folder, sha256)
  }

  async read(sha256: string, range?: ByteRange): Promise<Readable> {
    const stream = createReadStream(blobPath(this.#folder, sha256), range)
    await once(stream, 'open')
    return stream
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
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
