import { measureBytes } from '../../storage/folder/blob-files'
import type { BlobStore } from '../../storage/blobs/blob-store'
import { HttpError, StartError } from '../../base/errors'

export interface RecordedBlob {
  sha256: string
  sizeBytes: number
  name: string
}

/** Returns the name there; undefined if the source has lost or changed the bytes. */
export function copyBlob(from: BlobStore, to: BlobStore, blob: RecordedBlob): Promise<string | undefined> {
  return describing(blob, async () => {
    const bytes = await from.read(blob.name).catch(ignoreMissing)
    if (bytes === undefined) return undefined
    const staged = await to.stage(bytes, Infinity).finally(() => bytes.destroy())
    try {
      const isSame = staged.sha256 === blob.sha256 && staged.sizeBytes === blob.sizeBytes
      return isSame ? await staged.keep() : undefined
    } finally {
      await staged.discard()
    }
  })
}

/** Reads all bytes. */
export function isWhole(store: BlobStore, blob: RecordedBlob): Promise<boolean> {
  return describing(blob, async () => {
    const bytes = await store.read(blob.name).catch(ignoreMissing)
    if (bytes === undefined) return false
    return (await measureBytes(bytes)).sha256 === blob.sha256
  })
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

/** Retries, because a store may be unreachable for a moment. */
async function describing<Result>({ sha256 }: RecordedBlob, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // The cause says more than the bucket's error for clients.
    const { message } = ((error instanceof HttpError && error.cause) || error) as Error
    throw new StartError(
      `The bytes ${sha256} cannot be moved: ${message}. Fix that, then run the command again: it continues from here.`,
      { cause: error },
    )
  }
}
