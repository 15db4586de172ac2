import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BLOBS_FOLDER,
  copyBlob,
  forEachBlob,
  listDigests,
  listPrefixes,
  STAGING_FOLDER,
  syncFile,
  syncFolder,
} from '../blobs/blob-files'
import { makeFolder, prepareDataFolder, RESTORING_FILE } from '../data-folder'
import { lockDataFolder } from '../database/data-lock'
import { DATABASE_FILE } from '../database/sqlite-driver'
import { StartError } from '../errors'
import { checkApart, readManifest } from './backup-folder'
import { checkData, type DataCheck } from './check-data'

export interface RestoreOptions {
  /** Restores what is there of a backup with problems. */
  force?: boolean
}

export interface Restored {
  /** What is in the backup; with problems only when they were to be ignored. */
  check: DataCheck
  /** When the data were as the backup has them, ISO 8601. */
  taken_at: string
}

/** The backup has problems. */
export class DamagedBackupError extends StartError {
  override name = 'DamagedBackupError'
  readonly check: DataCheck

  constructor(folder: string, check: DataCheck) {
    super(`The backup ${folder} is damaged. --force restores what is there of it.`)
    this.check = check
  }
}

/**
 * Makes a data folder of a backup, which is checked first, bytes included. The folder must be new or empty. Keys of the
 * backup work, sessions are closed; the service makes a new `credentials.json` when it starts. @throws StartError
 */
export async function restore(
  backup: string,
  dataDir: string,
  { force = false }: RestoreOptions = {},
): Promise<Restored> {
  const takenAt = await findTakenAt(backup)
  await checkApart(backup, dataDir)
  await makeFolder(dataDir)
  if ((await readdir(dataDir)).length > 0)
    throw new StartError(`${dataDir} is not empty. Restore to a new folder, then move it where it belongs.`)
  const check = await checkData(backup, { bytes: true })
  if (!check.ok && !force) throw new DamagedBackupError(backup, check)
  await prepareDataFolder(dataDir)
  const unlock = await lockDataFolder(dataDir)
  try {
    await copyData(backup, dataDir)
  } catch (error) {
    for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true, force: true })
    throw error
  } finally {
    unlock()
  }
  return { check, taken_at: takenAt }
}

async function findTakenAt(backup: string): Promise<string> {
  const manifest = await readManifest(backup)
  if (!manifest) throw new StartError(`There is no backup in ${backup}.`)
  if (manifest.taken_at !== null) return manifest.taken_at
  throw new StartError(
    `The backup in ${backup} broke off before it was whole. Make it again with runledger backup.`,
  )
}

async function copyData(backup: string, dataDir: string): Promise<void> {
  // A service would take a folder without a database as new, and delete bytes that no row names.
  const mark = join(dataDir, RESTORING_FILE)
  await writeFile(mark, '', { mode: 0o600 })
  await syncFolder(dataDir)
  const from = join(backup, BLOBS_FOLDER)
  const to = join(dataDir, BLOBS_FOLDER)
  await mkdir(join(to, STAGING_FOLDER), { recursive: true, mode: 0o700 })
  for (const prefix of await listPrefixes(from)) {
    await forEachBlob(
      await listDigests(from, prefix),
      async (sha256) => void (await copyBlob(from, to, sha256)),
    )
  }
  const database = join(dataDir, DATABASE_FILE)
  await copyFile(join(backup, DATABASE_FILE), `${database}.new`, constants.COPYFILE_FICLONE)
  await syncFile(`${database}.new`)
  await rename(`${database}.new`, database)
  await rm(mark)
  await syncFolder(dataDir)
}
