import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { BlobStore, BytesWanted, StagedBlob } from './blob-store'
import { S3DirectUploads } from './direct-uploads'
import type { S3Bucket } from './s3-bucket'
import { type StagedFile, StagingFolder } from './staging-folder'

/** Names made here, those of direct uploads, and older ones, which are digests. */
const NAME = /^[0-9a-f]{2}\/[0-9a-f-]{36,}$/
/** Longer than the time between keeping and recording. */
const SETTLED_AFTER_MS = 24 * 3600 * 1000

/** Bytes come into a folder first: only then is their digest known, and too many must not reach the store. */
export async function openS3BlobStore(bucket: S3Bucket, stagingFolder: string): Promise<BlobStore> {
  return new S3BlobStore(bucket, await StagingFolder.open(stagingFolder))
}

class S3BlobStore implements BlobStore {
  readonly directUploads: S3DirectUploads
  readonly #bucket: S3Bucket
  readonly #staging: StagingFolder

  constructor(bucket: S3Bucket, staging: StagingFolder) {
    this.directUploads = new S3DirectUploads(bucket)
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

  async #keep(file: StagedFile): Promise<string> {
    const name = `${file.sha256.slice(0, 2)}/${file.sha256}-${randomUUID()}`
    await this.#bucket.putFile(name, file)
    return name
  }

  async findSize(name: string): Promise<number | undefined> {
    return (await this.#bucket.find(name))?.sizeBytes
  }

  read(name: string, wanted?: BytesWanted): Promise<Readable> {
    return this.#bucket.read(name, wanted)
  }

  remove(name: string): Promise<void> {
    return this.#bucket.remove(name)
  }

  async *listSettled(): AsyncIterable<string[]> {
    for await (const objects of this.#bucket.list())
      yield objects
        .filter(({ name, ageMs }) => NAME.test(name) && ageMs > SETTLED_AFTER_MS)
        .map(({ name }) => name)
  }
}
