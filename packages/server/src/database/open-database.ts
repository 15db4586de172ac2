import type { S3Bucket } from '../blobs/s3-bucket'
import type { Log } from '../log'
import { createBucketPlace } from './bucket-owner'
import { takePlace } from './bytes-place'
import type { Database } from './database'
import { createFolderPlace, refuseFolderOfOthers, refuseFolderOfSqlite } from './folder-owner'
import { migrate } from './migrate'
import { openPostgresDatabase } from './postgres-database'
import { migratePostgres, withPlaceNote } from './postgres-migrate'
import { openSqliteDatabase } from './sqlite-database'

interface OpenParts {
  dataDir: string
  /** Address of a PostgreSQL database. */
  url: string | undefined
  /** Has the bytes that its records name, if they are not in the folder. */
  bucket: S3Bucket | undefined
  log: Log
  /** Is told when nothing can be written any more, which only a new process mends. */
  writerEnded: (error: Error) => void
}

/** The database of the address, or the one in the data folder, brought up to date. @throws StartError */
export async function openDatabase({ dataDir, url, bucket, log, writerEnded }: OpenParts): Promise<Database> {
  if (url === undefined) {
    await refuseFolderOfOthers(dataDir)
    await migrate(dataDir, { log })
    return openSqliteDatabase(dataDir, { writerEnded })
  }
  refuseFolderOfSqlite(dataDir)
  await migratePostgres(url, { log })
  const place = bucket ? createBucketPlace(bucket) : createFolderPlace(dataDir)
  await withPlaceNote(url, (note) => takePlace(place, note))
  return openPostgresDatabase(url, { log })
}
