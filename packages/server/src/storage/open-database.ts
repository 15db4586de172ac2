import type { S3Bucket } from './blobs/s3-bucket'
import type { Log } from '../base/log'
import { createBucketPlace } from './database/places/bucket-owner'
import { takePlace } from './database/places/bytes-place'
import type { Database } from './database/database'
import { createFolderPlace, refuseFolderOfOthers, refuseFolderOfSqlite } from './database/places/folder-owner'
import { migrate } from './database/sqlite/migrate'
import { openPostgresDatabase } from './database/postgres/postgres-database'
import { migratePostgres, withPlaceNote } from './database/postgres/postgres-migrate'
import { openSqliteDatabase } from './database/sqlite/sqlite-database'
import { refuseUnfinishedMove } from './database/places/unfinished'

export interface DatabasePlace {
  dataDir: string
  url: string | undefined
  /** Undefined if the bytes are in the folder. */
  bucket: S3Bucket | undefined
}

interface OpenParts extends DatabasePlace {
  log: Log
  /** The writer has failed for good; only a restart helps. */
  writerEnded: (error: Error) => void
}

/** Also brings the database up to date. @throws StartError */
export async function openDatabase({ log, writerEnded, ...place }: OpenParts): Promise<Database> {
  await prepareDatabase(place, log)
  const database = await (place.url === undefined
    ? openSqliteDatabase(place.dataDir, { writerEnded })
    : openPostgresDatabase(place.url, { log }))
  try {
    await refuseUnfinishedMove(database.query)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Creates or upgrades the database, and checks that its bytes are in its own place. @throws StartError */
export async function prepareDatabase({ dataDir, url, bucket }: DatabasePlace, log?: Log): Promise<void> {
  const options = log === undefined ? {} : { log }
  if (url === undefined) {
    await refuseFolderOfOthers(dataDir)
    return migrate(dataDir, options)
  }
  refuseFolderOfSqlite(dataDir)
  await migratePostgres(url, options)
  const place = bucket ? createBucketPlace(bucket) : createFolderPlace(dataDir)
  await withPlaceNote(url, (note) => takePlace(place, note))
}
