import type { StorageConfig } from '../../base/config/storage-config'
import type { Log } from '../../base/log'
import { loadRoleCredentials } from './role-credentials'
import { S3Bucket } from './s3-bucket'

/** @throws StartError without credentials for it */
export async function openBucket({ address, credentials }: StorageConfig, log?: Log): Promise<S3Bucket> {
  return new S3Bucket(address, credentials ?? (await loadRoleCredentials()), { log })
}
