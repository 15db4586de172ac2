import { HttpError, StartError } from '../errors'
import type { S3Bucket } from '../blobs/s3-bucket'
import { type BytesPlace, type Owner, OWNER_FILE } from './bytes-place'

/** A bucket, or what is below a prefix in it. */
export function createBucketPlace(bucket: S3Bucket): BytesPlace {
  return {
    kind: 'bucket',
    name: bucket.name,
    setting: '--storage (RUNLEDGER_STORAGE)',
    readOwner: async () => {
      const text = await bucket.readText(OWNER_FILE)
      return text === undefined ? undefined : (JSON.parse(text) as Owner)
    },
    writeOwner: (owner) => bucket.putNewText(OWNER_FILE, JSON.stringify(owner)),
    removeOwner: () => bucket.remove(OWNER_FILE),
    refuseUnknownBytes: async () => {
      for await (const names of bucket.list()) if (names.length > 0) throw hasUnknown(bucket.name)
    },
  }
}

function hasUnknown(name: string): StartError {
  return new StartError(
    `${name} has files, but no ${OWNER_FILE} that says which records they go with. Put that back, or give an empty bucket, or another prefix in it, with --storage (RUNLEDGER_STORAGE).`,
  )
}

/** What goes wrong with a bucket at the start as one sentence that names it; anything else as it is. */
export function describeBucketError(error: unknown, { name }: S3Bucket): unknown {
  if (!(error instanceof HttpError) || !(error.cause instanceof Error)) return error
  return new StartError(
    `${name} cannot be used: ${error.cause.message}. Look at --storage (RUNLEDGER_STORAGE) and at the keys.`,
    { cause: error },
  )
}
