import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BLOBS_FOLDER, listBlobs, listPrefixes, syncFolder } from '../../folder/blob-files'
import { StartError } from '../../../base/errors'
import { type BytesPlace, type Owner, OWNER_FILE } from './bytes-place'
import { DATABASE_FILE } from '../../folder/data-folder'

/** True when a PostgreSQL database names the bytes in the folder. */
export function isOwnedByPostgres(dataDir: string): boolean {
  return existsSync(join(dataDir, OWNER_FILE))
}

/** Without their rows, the service would delete all bytes. @throws StartError */
export async function refuseFolderOfOthers(dataDir: string): Promise<void> {
  if (!isOwnedByPostgres(dataDir)) return refuseUnknownFiles(dataDir)
  throw new StartError(
    `The records that go with ${dataDir} are in a PostgreSQL database. Name it with --database (RUNLEDGER_DATABASE), or give another folder with --data.`,
  )
}

/** @throws StartError when the folder has a database */
export function refuseFolderOfSqlite(dataDir: string): void {
  if (!existsSync(join(dataDir, DATABASE_FILE))) return
  throw new StartError(
    `${dataDir} has its records in ${DATABASE_FILE}. With a PostgreSQL database, give a folder of its own with --data.`,
  )
}

/** For a folder whose rows are in a PostgreSQL database. */
export function createFolderPlace(dataDir: string): BytesPlace {
  const path = join(dataDir, OWNER_FILE)
  return {
    kind: 'folder',
    name: dataDir,
    setting: '--data (RUNLEDGER_DATA)',
    readOwner: async () =>
      isOwnedByPostgres(dataDir) ? (JSON.parse(await readFile(path, 'utf8')) as Owner) : undefined,
    writeOwner: async (owner) => {
      await writeFile(`${path}.new`, `${JSON.stringify(owner)}\n`, { mode: 0o600, flush: true })
      await rename(`${path}.new`, path)
      await syncFolder(dataDir)
    },
    refuseUnknownBytes: () => refuseUnknownFiles(dataDir),
  }
}

/** The clean-up would delete files that no record names. @throws StartError */
async function refuseUnknownFiles(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, DATABASE_FILE)) || !(await hasBlobs(dataDir))) return
  throw new StartError(
    `${dataDir} has files in blobs, but neither ${DATABASE_FILE} nor ${OWNER_FILE} that says which records they go with. Put that back, or give another folder with --data.`,
  )
}

/** The same for a database without a table of ours. @throws StartError */
export async function refuseEmptyDatabase(dataDir: string): Promise<void> {
  if (!(await hasBlobs(dataDir))) return
  throw new StartError(
    `${join(dataDir, DATABASE_FILE)} holds no records of Runledger, but ${dataDir} has files in blobs. Put the right database back (runledger restore brings one from a backup), or give another folder with --data.`,
  )
}

export async function hasBlobs(dataDir: string): Promise<boolean> {
  const blobs = join(dataDir, BLOBS_FOLDER)
  const found = await Promise.all((await listPrefixes(blobs)).map((prefix) => listBlobs(blobs, prefix)))
  return found.flat().length > 0
}
