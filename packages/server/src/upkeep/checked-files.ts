import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { findBlobSize, listBlobs, listPrefixes, measureBytes } from '../storage/folder/blob-files'
import type { S3Bucket } from '../storage/blobs/s3-bucket'

export interface CheckedFiles {
  list(): AsyncIterable<string[]>
  /** In bytes; undefined without such bytes. */
  findSize(name: string): Promise<number | undefined>
  /** @throws HttpError when the store is unreachable */
  measure(name: string): Promise<{ sha256: string }>
}

export function filesOfFolder(folder: string): CheckedFiles {
  return {
    list: async function* () {
      for (const prefix of await listPrefixes(folder)) yield await listBlobs(folder, prefix)
    },
    findSize: (name) => findBlobSize(folder, name),
    measure: (name) => measureBytes(createReadStream(join(folder, name))),
  }
}

export function filesOfBucket(bucket: S3Bucket): CheckedFiles {
  return {
    list: async function* () {
      for await (const objects of bucket.list())
        yield objects.map(({ name }) => name).filter((name) => /^[0-9a-f]{2}\//.test(name))
    },
    findSize: async (name) => (await bucket.find(name))?.sizeBytes,
    measure: (name) => bucket.measure(name),
  }
}
