import type { ServerConfig } from '../config/server-config'
import type { Log } from '../log'
import type { Database } from './database'
import { refuseFolderOfOthers, refuseFolderOfSqlite, takeFolder } from './folder-owner'
import { migrate } from './migrate'
import { openPostgresDatabase } from './postgres-database'
import { migratePostgres, takeFolderId } from './postgres-migrate'
import { openSqliteDatabase } from './sqlite-database'

interface OpenParts {
  log: Log
  /** Is told when nothing can be written any more, which only a new process mends. */
  writerEnded: (error: Error) => void
}

/** The database that the settings name, or the one in the data folder, brought up to date. @throws StartError */
export async function openDatabase(
  { dataDir, database: url }: ServerConfig,
  { log, writerEnded }: OpenParts,
): Promise<Database> {
  if (url === undefined) {
    await refuseFolderOfOthers(dataDir)
    await migrate(dataDir, { log })
    return openSqliteDatabase(dataDir, { writerEnded })
  }
  refuseFolderOfSqlite(dataDir)
  const databaseId = await migratePostgres(url, { log })
  await takeFolder(dataDir, databaseId, (folderId) => takeFolderId(url, folderId))
  return openPostgresDatabase(url, { log })
}
