import type { Readable } from 'node:stream'
import type { BlobStore, ByteRange, StagedBlob } from './blob-store'
import type { S3Bucket } from './s3-bucket'
import { type StagedFile, StagingFolder } from './staging-folder'

const NAME = /^[0-9a-f]{2}\/([0-9a-f]{64})$/

/**
 * Bytes in a bucket of an S3 store, as `aa/<sha256>` like in a folder. They are received in a folder first: only then their
 * digest is known, and a store must not be sent what turns out to be too long.
 */
export async function openS3BlobStore(bucket: S3Bucket, stagingFolder: string): Promise<BlobStore> {
  return new S3BlobStore(bucket, await StagingFolder.open(stagingFolder))
}

class S3BlobStore implements BlobStore {
  readonly #bucket: S3Bucket
  readonly #staging: StagingFolder

  constructor(bucket: S3Bucket, staging: StagingFolder) {
    this.#bucket = bucket
    this.#staging = staging
  }

  async checkReachable(): Promise<void> {
    await this.#staging.checkReachable()
    await this.#bucket.checkReachable()
  }

  stage(body: Readable, maxBytes: number): Promise<StagedBlob> {
    return this.#staging.stage(body, maxBytes, (file) => this.#keep(file))
  }

  async #keep(file: StagedFile): Promise<void> {
    const key = nameObject(file.sha256)
    if ((await this.#bucket.findSize(key)) !== file.sizeBytes) await this.#bucket.putFile(key, file)
  }

  read(sha256: string, range?: ByteRange): Promise<Readable> {
    return this.#bucket.read(nameObject(sha256), range)
  }

  remove(sha256: string): Promise<void> {
    return this.#bucket.remove(nameObject(sha256))
  }

  async *list(): AsyncIterable<string[]> {
    for await (const names of this.#bucket.list()) yield names.flatMap((name) => NAME.exec(name)?.[1] ?? [])
  }
}

function nameObject(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256}`
}
