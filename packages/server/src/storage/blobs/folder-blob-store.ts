import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  STAGING_FOLDER,
  findBlobSize,
  isBlobName,
  listBlobs,
  listPrefixes,
  moveBlob,
} from '../folder/blob-files'
import { BlobDamagedError, type BlobStore, type BytesWanted, type StagedBlob } from './blob-store'
import { type StagedFile, StagingFolder } from './staging-folder'

const LIST_SIZE = 500

/** Files are `aa/<sha256>-<random>`; only one process has the folder open. */
export async function openFolderBlobStore(folder: string): Promise<BlobStore> {
  return new FolderBlobStore(folder, await StagingFolder.open(join(folder, STAGING_FOLDER)))
}

class FolderBlobStore implements BlobStore {
  readonly #folder: string
  readonly #staging: StagingFolder
  /** Part of every new name until the store is closed. */
  readonly #opening = randomBytes(8).toString('hex')
  #kept = 0

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

  async #keep({ path, sha256 }: StagedFile): Promise<string> {
    const name = `${sha256.slice(0, 2)}/${sha256}-${this.#opening}-${(this.#kept += 1)}`
    await moveBlob(path, this.#folder, name)
    return name
  }

  findSize(name: string): Promise<number | undefined> {
    return findBlobSize(this.#folder, name)
  }

  async read(name: string, { range, sizeBytes }: BytesWanted = {}): Promise<Readable> {
    if (!isBlobName(name)) throw new Error('the database names a path that no stored bytes can have')
    const found = sizeBytes === undefined ? undefined : await this.findSize(name)
    if (found !== undefined && sizeBytes !== undefined && found !== sizeBytes)
      throw new BlobDamagedError(name, found, sizeBytes)
    const stream = createReadStream(join(this.#folder, name), range)
    await once(stream, 'open')
    return stream
  }

  async remove(name: string): Promise<void> {
    if (isBlobName(name)) await rm(join(this.#folder, name), { force: true })
  }

  /** Only files from before the folder was opened: the process that kept them has ended. */
  async *listSettled(): AsyncIterable<string[]> {
    for (const prefix of await listPrefixes(this.#folder)) {
      const names = await listBlobs(this.#folder, prefix)
      const settled = names.filter((name) => !name.includes(`-${this.#opening}-`))
      for (let from = 0; from < settled.length; from += LIST_SIZE) yield settled.slice(from, from + LIST_SIZE)
    }
  }
}
