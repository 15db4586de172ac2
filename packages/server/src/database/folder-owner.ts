import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors'
import { DATABASE_FILE } from './sqlite-driver'

/** In a data folder whose rows are in a PostgreSQL database: which one it is. */
const OWNER_FILE = 'database.json'

/** Whether the rows that name the bytes in a folder are in a PostgreSQL database. */
export function isOwnedByPostgres(dataDir: string): boolean {
  return existsSync(join(dataDir, OWNER_FILE))
}

/** A service that does not find their rows would delete all bytes in the folder. @throws StartError */
export function refuseFolderOfPostgres(dataDir: string): void {
  if (!isOwnedByPostgres(dataDir)) return
  throw new StartError(
    `The records that go with ${dataDir} are in a PostgreSQL database. Name it with --database (RUNLEDGER_DATABASE), or give another folder with --data.`,
  )
}

/** @throws StartError when the folder has a database in it */
export function refuseFolderOfSqlite(dataDir: string): void {
  if (!existsSync(join(dataDir, DATABASE_FILE))) return
  throw new StartError(
    `${dataDir} has its records in ${DATABASE_FILE}. With a PostgreSQL database, give a folder of its own with --data.`,
  )
}

/** Notes which database has the rows of a folder. @throws StartError when it is another one */
export async function takeFolder(dataDir: string, databaseId: string): Promise<void> {
  const path = join(dataDir, OWNER_FILE)
  if (!isOwnedByPostgres(dataDir))
    return writeFile(path, `${JSON.stringify({ postgresql: databaseId })}\n`, { mode: 0o600, flush: true })
  const owner = JSON.parse(await readFile(path, 'utf8')) as { postgresql?: unknown }
  if (owner.postgresql === databaseId) return
  throw new StartError(
    `The files in ${dataDir} belong to another PostgreSQL database. Name that one with --database (RUNLEDGER_DATABASE), or give another folder with --data.`,
  )
}
