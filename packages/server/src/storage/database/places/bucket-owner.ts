import { StartError } from '../../../base/errors'
import type { S3Bucket } from '../../blobs/s3-bucket'
import { type BytesPlace, type Owner, OWNER_FILE } from './bytes-place'

/** The bucket, or what is below its prefix. */
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
    refuseUnknownBytes: async () => {
      for await (const objects of bucket.list()) if (objects.length > 0) throw unknownFilesError(bucket.name)
    },
  }
}

function unknownFilesError(name: string): StartError {
  return new StartError(
    `${name} has files, but no ${OWNER_FILE} that says which records they go with. Put that back, or give an empty bucket, or another prefix in it, with --storage (RUNLEDGER_STORAGE).`,
  )
}
