import { randomUUID } from 'node:crypto'
import type { DirectUploads, StagedBlob, WaitingUpload } from './blob-store'
import type { S3Bucket } from './s3-bucket'
import { tooLargeError } from './staging-folder'

const FOLDER = 'uploads/'
const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Stores note this when the client sent no media type. */
const NO_MEDIA_TYPE = 'binary/octet-stream'

/** A client can replace its `uploads/<id>` while the address lives, so the service records a copy under a secret name. */
export class S3DirectUploads implements DirectUploads {
  readonly #bucket: S3Bucket

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket
  }

  createAddress(id: string, lifeSeconds: number): Promise<string> {
    return this.#bucket.presignPut(FOLDER + id, lifeSeconds)
  }

  async stage(id: string, maxBytes: number): Promise<WaitingUpload | undefined> {
    const found = await this.#bucket.find(FOLDER + id)
    if (!found) return undefined
    if (found.sizeBytes > maxBytes) return this.#refuse(id, maxBytes)
    const copy = nameCopy()
    // The copy fails if the client has just replaced it; the client then asks again.
    if (!(await this.#bucket.copy(FOLDER + id, copy, found))) return undefined
    try {
      const { sha256, sizeBytes } = await this.#bucket.measure(copy)
      return { ...this.#stageCopy(copy), sha256, sizeBytes, contentType: readMediaType(found.contentType) }
    } catch (error) {
      await this.#bucket.remove(copy)
      throw error
    }
  }

  #stageCopy(copy: string): Pick<StagedBlob, 'keep' | 'discard'> {
    let isKept = false
    return {
      keep: () => {
        isKept = true
        return Promise.resolve(copy)
      },
      discard: async () => {
        if (!isKept) await this.#bucket.remove(copy)
      },
    }
  }

  async #refuse(id: string, maxBytes: number): Promise<never> {
    await this.remove(id)
    throw tooLargeError(maxBytes)
  }

  remove(id: string): Promise<void> {
    return this.#bucket.remove(FOLDER + id)
  }

  async *list(): AsyncIterable<string[]> {
    for await (const objects of this.#bucket.list(FOLDER))
      yield objects.map(({ name }) => name.slice(FOLDER.length)).filter((id) => NAME.test(id))
  }
}

/** The digest is missing, because it is known only when the copy is read. */
function nameCopy(): string {
  const id = randomUUID()
  return `${id.slice(0, 2)}/${id}`
}

function readMediaType(contentType: string | undefined): string | undefined {
  return contentType === NO_MEDIA_TYPE ? undefined : contentType
}
