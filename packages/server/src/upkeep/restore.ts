import { z } from 'zod'
import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import {
  BLOBS_FOLDER,
  copyBlob,
  forEachBlob,
  listBlobs,
  listPrefixes,
  STAGING_FOLDER,
  syncFile,
  syncFolder,
  syncNames,
} from '../storage/folder/blob-files'
import {
  BACKUP_FILE,
  makeFolder,
  prepareDataFolder,
  RESTORING_FILE,
  DATABASE_FILE,
} from '../storage/folder/data-folder'
import { LOCK_FILE, lockDataFolder } from '../storage/database/sqlite/sqlite-driver'
import { StartError } from '../base/errors'
import { checkData, type DataCheck } from './check-data'

interface RestoreOptions {
  force?: boolean
}

export interface Restored {
  /** Has problems only if they were to be ignored. */
  check: DataCheck
  /** The moment that the backup shows, ISO 8601. */
  taken_at: string
}

export class DamagedBackupError extends StartError {
  override name = 'DamagedBackupError'
  readonly check: DataCheck

  constructor(folder: string, check: DataCheck) {
    super(`The backup ${folder} is damaged. --force restores what is there of it.`)
    this.check = check
  }
}

/**
 * Checks the backup first, bytes included, then the copy. The folder must be new or empty. Keys work, sessions are closed; the
 * service makes a new `credentials.json`. @throws StartError
 */
export async function restore(
  backup: string,
  dataDir: string,
  options: RestoreOptions = {},
): Promise<Restored> {
  // Before creating a lock in a folder that is no backup.
  await findTakenAt(backup)
  await checkApart(backup, dataDir)
  await makeFolder(dataDir)
  refuseUsed(dataDir, await readdir(dataDir))
  const unlock = await lockBackup(backup)
  try {
    return await restoreLocked(backup, dataDir, options)
  } finally {
    unlock()
  }
}

async function restoreLocked(
  backup: string,
  dataDir: string,
  { force = false }: RestoreOptions,
): Promise<Restored> {
  const takenAt = await findTakenAt(backup)
  const check = await checkData(backup, { bytes: true })
  if (!check.ok && !force) throw new DamagedBackupError(backup, check)
  const unlock = await lockDataFolder(dataDir)
  try {
    // The previous owner of the lock may have filled the folder.
    refuseUsed(dataDir, await readdir(dataDir))
    await fillFolder(backup, dataDir, check)
  } finally {
    unlock()
  }
  return { check, taken_at: takenAt }
}

/** Keeps backups from starting meanwhile, if the folder is writable. */
async function lockBackup(backup: string): Promise<() => void> {
  try {
    return await lockDataFolder(
      backup,
      `A backup to ${backup}, or a restore of it, is under way. Try again when that has ended.`,
    )
  } catch (error) {
    if (error instanceof StartError) throw error
    return () => undefined
  }
}

function refuseUsed(dataDir: string, names: readonly string[]): void {
  if (names.every((name) => name.startsWith(LOCK_FILE))) return
  throw new StartError(`${dataDir} is not empty. Restore to a new folder, then move it where it belongs.`)
}

async function fillFolder(backup: string, dataDir: string, check: DataCheck): Promise<void> {
  try {
    await prepareDataFolder(dataDir)
    await copyData(backup, dataDir, check.ok)
  } catch (error) {
    for (const name of MADE) await rm(join(dataDir, name), { recursive: true, force: true })
    throw error
  }
}

const MADE = [BLOBS_FOLDER, DATABASE_FILE, `${DATABASE_FILE}.new`, '.gitignore', RESTORING_FILE, LOCK_FILE]

async function findTakenAt(backup: string): Promise<string> {
  const manifest = await readManifest(backup)
  if (!manifest) throw new StartError(`There is no backup in ${backup}.`)
  if (manifest.taken_at !== null) return manifest.taken_at
  throw new StartError(
    `The backup in ${backup} broke off before it was whole. Make it again with runledger backup.`,
  )
}

async function copyData(backup: string, dataDir: string, isWhole: boolean): Promise<void> {
  // A service would treat a folder without a database as new, and delete all bytes.
  const mark = join(dataDir, RESTORING_FILE)
  await writeFile(mark, '', { mode: 0o600 })
  await syncFolder(dataDir)
  const from = join(backup, BLOBS_FOLDER)
  const to = join(dataDir, BLOBS_FOLDER)
  await mkdir(join(to, STAGING_FOLDER), { recursive: true, mode: 0o700 })
  for (const prefix of await listPrefixes(from)) {
    await forEachBlob(await listBlobs(from, prefix), async (name) => {
      if (!(await copyBlob(from, to, name))) throw changedBackupError(backup)
    })
    await syncNames(to, prefix)
  }
  const database = join(dataDir, DATABASE_FILE)
  await copyFile(join(backup, DATABASE_FILE), `${database}.new`, constants.COPYFILE_FICLONE)
  await syncFile(`${database}.new`)
  await rename(`${database}.new`, database)
  if (isWhole && !(await checkData(dataDir, { bytes: true })).ok) throw changedBackupError(backup)
  await rm(mark)
  await syncFolder(dataDir)
}

function changedBackupError(backup: string): StartError {
  return new StartError(`The backup ${backup} changed while it was restored. Restore it again.`)
}

const ManifestSchema = z.object({
  format: z.literal(1),
  service_version: z.string(),
  /** The moment that the data show, ISO 8601; null until a first backup is whole. */
  taken_at: z.string().nullable(),
})

type Manifest = z.infer<typeof ManifestSchema>

/** Undefined if the folder has none. @throws StartError for one of another kind */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, BACKUP_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { data } = ManifestSchema.safeParse(parse(text))
  if (data) return data
  throw new StartError(`${join(folder, BACKUP_FILE)} is not of a backup that this version can read.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Atomic. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const temporary = join(folder, `${BACKUP_FILE}.new`)
  await writeFile(temporary, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 })
  await syncFile(temporary)
  await rename(temporary, join(folder, BACKUP_FILE))
  await syncFolder(folder)
}

/** @throws StartError when one of two folders is inside of the other */
export async function checkApart(first: string, second: string): Promise<void> {
  const [one, other] = await Promise.all([findRealPath(first), findRealPath(second)])
  const isInside = (from: string, to: string) => !/^\.\.(?:[\\/]|$)/.test(relative(from, to))
  if (!isInside(one, other) && !isInside(other, one)) return
  throw new StartError(`${second} and ${first} are in each other. Give a folder elsewhere.`)
}

/** Links resolved, as far as the path exists. */
async function findRealPath(path: string): Promise<string> {
  const full = resolve(path)
  const real = await realpath(full).catch(() => undefined)
  if (real !== undefined || dirname(full) === full) return real ?? full
  return join(await findRealPath(dirname(full)), relative(dirname(full), full))
}
