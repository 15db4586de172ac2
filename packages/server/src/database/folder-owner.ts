import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BLOBS_FOLDER, listDigests, listPrefixes, syncFolder } from '../blobs/blob-files'
import { StartError } from '../errors'
import { DATABASE_FILE } from './sqlite-driver'

/** In a data folder whose rows are in a PostgreSQL database: which one it is. */
const OWNER_FILE = 'database.json'
/** In the settings of that database: which folder it is. */
export const FOLDER_ID = 'internal.folder_id'

/** Whether the rows that name the bytes in a folder are in a PostgreSQL database. */
export function isOwnedByPostgres(dataDir: string): boolean {
  return existsSync(join(dataDir, OWNER_FILE))
}

/** A service that does not find their rows would delete all bytes in the folder. @throws StartError */
export async function refuseFolderOfOthers(dataDir: string): Promise<void> {
  if (!isOwnedByPostgres(dataDir)) return refuseUnknownFiles(dataDir)
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

interface Owner {
  postgresql: string
  /** Tells the folder from others; a copy of it has the same. Missing where a former release took the folder. */
  folder?: string
}

/**
 * Notes in a folder which database has its rows, and in that database which folder it is.
 * @param isTaken notes a folder's id in the database, and says whether that is the one there
 * @throws StartError when either goes with another
 */
export async function takeFolder(
  dataDir: string,
  databaseId: string,
  isTaken: (folderId: string) => Promise<boolean>,
): Promise<void> {
  const owner = await readOwner(dataDir)
  if (owner && owner.postgresql !== databaseId) throw goesWithAnother(dataDir)
  if (!owner) await refuseUnknownFiles(dataDir)
  const folder = owner?.folder ?? randomUUID()
  // Noted here first: a process that ends between both finds its id again.
  if (owner?.folder === undefined) await writeOwner(dataDir, { postgresql: databaseId, folder })
  if (await isTaken(folder)) return
  if (!owner) await rm(join(dataDir, OWNER_FILE))
  throw new StartError(
    `The files that go with this PostgreSQL database are in another folder than ${dataDir}. Give that one with --data (RUNLEDGER_DATA). When it is lost, delete the row "${FOLDER_ID}" of the table settings: then the database takes this folder, without those files.`,
  )
}

async function readOwner(dataDir: string): Promise<Owner | undefined> {
  if (!isOwnedByPostgres(dataDir)) return undefined
  return JSON.parse(await readFile(join(dataDir, OWNER_FILE), 'utf8')) as Owner
}

/** All of it or nothing, also when the process or the machine ends meanwhile. */
async function writeOwner(dataDir: string, owner: Owner): Promise<void> {
  const path = join(dataDir, OWNER_FILE)
  await writeFile(`${path}.new`, `${JSON.stringify(owner)}\n`, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  await syncFolder(dataDir)
}

function goesWithAnother(dataDir: string): StartError {
  return new StartError(
    `The files in ${dataDir} belong to another PostgreSQL database. Name that one with --database (RUNLEDGER_DATABASE), or give another folder with --data.`,
  )
}

/** The clean-up would delete files that no record names. */
async function refuseUnknownFiles(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, DATABASE_FILE))) return
  const blobs = join(dataDir, BLOBS_FOLDER)
  const found = await Promise.all((await listPrefixes(blobs)).map((prefix) => listDigests(blobs, prefix)))
  if (found.flat().length === 0) return
  throw new StartError(
    `${dataDir} has files in blobs, but neither ${DATABASE_FILE} nor ${OWNER_FILE} that says which records they go with. Put that back, or give another folder with --data.`,
  )
}
