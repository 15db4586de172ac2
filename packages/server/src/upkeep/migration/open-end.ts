import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BLOBS_FOLDER, STAGING_FOLDER } from '../../storage/folder/blob-files'
import type { BlobStore } from '../../storage/blobs/blob-store'
import { openFolderBlobStore } from '../../storage/blobs/folder-blob-store'
import { openBucket } from '../../storage/blobs/open-bucket'
import { openS3BlobStore } from '../../storage/blobs/s3-blob-store'
import type { ServerConfig } from '../../base/config/server-config'
import {
  closeToOthers,
  describeFolderError,
  prepareDataFolder,
  DATABASE_FILE,
} from '../../storage/folder/data-folder'
import { isOwnedByPostgres } from '../../storage/database/places/folder-owner'
import { prepareDatabase } from '../../storage/open-database'
import { lockDataFolder } from '../../storage/database/sqlite/sqlite-driver'
import { StartError } from '../../base/errors'
import { createLog } from '../../base/log'
import { hasRecords, openPostgresSource, openPostgresTarget } from './postgres-table-store'
import { openSqliteTables } from './sqlite-table-store'
import type { TableStore } from './table-store'

export type StoragePlace = Pick<ServerConfig, 'dataDir' | 'database' | 'storage'>

/** Nobody else changes the record until it is closed. */
export interface StorageEnd {
  dataDir: string
  tables: TableStore
  blobs: BlobStore
  close(): Promise<void>
}

/** Also upgrades the record to this release. @throws StartError when it is missing or in use */
export function openSource(place: StoragePlace): Promise<StorageEnd> {
  return namingSide('from', async () => {
    await refuseWithoutRecords(place)
    return openEnd(place, openPostgresSource)
  })
}

/** @throws StartError when it is in use, or cannot be used */
export function openTarget(place: StoragePlace): Promise<StorageEnd> {
  return namingSide('to', () => openEnd(place, openPostgresTarget))
}

async function openEnd(
  { dataDir, database: url, storage }: StoragePlace,
  openPostgresTables: (url: string) => Promise<TableStore>,
): Promise<StorageEnd> {
  await prepareDataFolder(dataDir)
  const unlock = await lockDataFolder(dataDir)
  const log = createLog('warn')
  try {
    await closeToOthers(dataDir, log)
    const bucket = storage && (await openBucket(storage))
    await prepareDatabase({ dataDir, url, bucket }, log)
    const folder = join(dataDir, BLOBS_FOLDER)
    const blobs = bucket
      ? await openS3BlobStore(bucket, join(folder, STAGING_FOLDER))
      : await openFolderBlobStore(folder)
    const tables = await (url === undefined ? openSqliteTables(dataDir) : openPostgresTables(url))
    // For new files.
    await closeToOthers(dataDir, log)
    const close = async () => {
      await tables.close()
      unlock()
    }
    return { dataDir, tables, blobs, close }
  } catch (error) {
    unlock()
    throw describeFolderError(error, dataDir)
  }
}

/** Runs before anything is created there. @throws StartError */
async function refuseWithoutRecords({ dataDir, database: url }: StoragePlace): Promise<void> {
  if (!existsSync(dataDir)) throw new StartError(`There is no folder ${dataDir}. Give another with --data.`)
  if (url === undefined && !existsSync(join(dataDir, DATABASE_FILE))) {
    if (isOwnedByPostgres(dataDir))
      throw new StartError(
        `The records that go with ${dataDir} are in a PostgreSQL database. Name it with --database (RUNLEDGER_DATABASE).`,
      )
    throw new StartError(
      `There are no records in ${dataDir}: it has no ${DATABASE_FILE}. Give another folder with --data, or a PostgreSQL database with --database (RUNLEDGER_DATABASE).`,
    )
  }
  if (url !== undefined && !(await hasRecords(url)))
    throw new StartError(
      'There are no records in the PostgreSQL database. Name another with --database (RUNLEDGER_DATABASE).',
    )
}

/** Messages name a service's settings; replace them by those of this side. */
export async function namingSide<Result>(
  side: 'from' | 'to',
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    error.message = error.message
      .replaceAll(/--(data|database|storage)\b/g, `--${side}-$1`)
      .replaceAll(/\bRUNLEDGER_(DATA|DATABASE|STORAGE)\b/g, `RUNLEDGER_${side.toUpperCase()}_$1`)
    throw error
  }
}
