import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { version } from '../base/version'
import {
  BLOBS_FOLDER,
  copyBlob,
  findBlobSize,
  findSize,
  forEachBlob,
  listBlobs,
  listPrefixes,
  PREFIXES,
  STAGING_FOLDER,
  syncFile,
  syncFolder,
  syncNames,
} from '../storage/folder/blob-files'
import { makeFolder, DATABASE_FILE } from '../storage/folder/data-folder'
import { lockDataFolder } from '../storage/database/sqlite/sqlite-driver'
import { StartError } from '../base/errors'
import { checkApart, readManifest, writeManifest } from './restore'
import { type DataCounts, type DataStore, openData, removeSecrets } from './store'
import { isDiskFull } from '../storage/folder/disk-errors'

const NEW_DATABASE = `${DATABASE_FILE}.new`
const MAX_SNAPSHOTS = 5

export interface Backup extends DataCounts {
  /** The moment that the backup shows, ISO 8601. */
  taken_at: string
  database_bytes: number
  copied_blobs: number
  copied_bytes: number
  /** Bytes on record without a file: the backup lacks them too. */
  missing: string[]
}

/**
 * Works while a service writes. Copies the database at one moment and all bytes that it names. `target` is a new or empty folder,
 * or an earlier backup, which stays whole until the new one is. A backup lets no one in: it has keys only as hashes, no open
 * sessions, and not the secret that signs addresses. @throws StartError
 */
export async function backUp(dataDir: string, target: string): Promise<Backup> {
  const live = await openData(dataDir)
  try {
    await checkApart(dataDir, target)
    return await renewBackup(live, dataDir, target)
  } catch (error) {
    throw describeFailure(error, dataDir, target)
  } finally {
    live.close()
  }
}

async function renewBackup(live: DataStore, dataDir: string, target: string): Promise<Backup> {
  await prepareTarget(target)
  const unlock = await lockDataFolder(target, `Another backup to ${target} is under way.`)
  try {
    const manifest = { format: 1 as const, service_version: version }
    if (!(await readManifest(target))) await writeManifest(target, { ...manifest, taken_at: null })
    const backup = await new RunningBackup(live, dataDir, target).run()
    await writeManifest(target, { ...manifest, taken_at: backup.taken_at })
    return backup
  } finally {
    unlock()
  }
}

function describeFailure(error: unknown, dataDir: string, target: string): unknown {
  if (isDiskFull(error))
    return new StartError(
      `The disk of ${target} is too full for the backup. Free some space, then back up again.`,
      {
        cause: error,
      },
    )
  if (!(error instanceof Error) || error instanceof StartError || 'syscall' in error) return error
  const advice = `"runledger check --data ${dataDir}" tells whether it is damaged.`
  return new StartError(`The database cannot be copied: ${error.message}. ${advice}`, { cause: error })
}

async function prepareTarget(target: string): Promise<void> {
  await makeFolder(target)
  if (await readManifest(target)) return
  const names = await readdir(target)
  if (names.every((name) => BEFORE_MANIFEST.test(name))) return chmod(target, 0o700)
  throw new StartError(
    `${target} is not empty, and is not a backup. Give a new folder, or one with a backup in it.`,
  )
}

/** Left by a backup that broke off before its folder was marked as one. */
const BEFORE_MANIFEST = /^(?:lock\.db(?:-journal)?|backup\.json\.new)$/

class RunningBackup {
  readonly #live: DataStore
  readonly #target: string
  readonly #from: string
  readonly #to: string
  #copiedBlobs = 0
  #copiedBytes = 0
  #takenAt = ''

  constructor(live: DataStore, dataDir: string, target: string) {
    this.#live = live
    this.#target = target
    this.#from = join(dataDir, BLOBS_FOLDER)
    this.#to = join(target, BLOBS_FOLDER)
  }

  async run(): Promise<Backup> {
    await rm(join(this.#to, STAGING_FOLDER), { recursive: true, force: true })
    await mkdir(join(this.#to, STAGING_FOLDER), { recursive: true, mode: 0o700 })
    await this.#copyStored()
    const missing = await this.#copySnapshot()
    const copy = await openData(this.#target, NEW_DATABASE)
    const counts = copy.count()
    copy.close()
    await rename(join(this.#target, NEW_DATABASE), join(this.#target, DATABASE_FILE))
    await syncFolder(this.#target)
    await this.#removeUnnamed()
    return {
      taken_at: this.#takenAt,
      ...counts,
      database_bytes: (await findSize(join(this.#target, DATABASE_FILE))) ?? 0,
      copied_blobs: this.#copiedBlobs,
      copied_bytes: this.#copiedBytes,
      missing,
    }
  }

  /** Most bytes are copied before the moment that the backup shows, so that later deletions do not matter. */
  async #copyStored(): Promise<void> {
    for (const prefix of await listPrefixes(this.#from)) {
      await forEachBlob(await listBlobs(this.#from, prefix), async (name) => {
        const size = await findSize(join(this.#from, name))
        if (size !== undefined) await this.#copy(name, size)
      })
      await syncNames(this.#to, prefix)
    }
  }

  /** Copies the database, then newer bytes. If bytes were deleted meanwhile, a newer database is needed. */
  async #copySnapshot(): Promise<string[]> {
    for (let snapshot = 1; ; snapshot += 1) {
      await this.#copyDatabase()
      const gone = await this.#copyNamed()
      const deleted = gone.filter((name) => !this.#live.isNamed(name))
      if (deleted.length === 0) return gone
      if (snapshot === MAX_SNAPSHOTS)
        throw new StartError(
          'Attachments are deleted faster than they are copied. Try again when that has ended.',
        )
    }
  }

  async #copyDatabase(): Promise<void> {
    const path = join(this.#target, NEW_DATABASE)
    await rm(path, { force: true })
    await (await open(path, 'wx', 0o600)).close()
    this.#takenAt = new Date().toISOString()
    this.#live.copyTo(path)
    await removeSecrets(path)
    await syncFile(path)
  }

  /** Returns the names of bytes that attachments have but the folder has not. */
  async #copyNamed(): Promise<string[]> {
    const gone: string[] = []
    const copy = await openData(this.#target, NEW_DATABASE)
    try {
      for (const prefix of PREFIXES) {
        const named = copy.listBlobs(prefix).filter((row) => row.reference_count > 0)
        await forEachBlob(named, async ({ object_name, size_bytes }) => {
          if (!(await this.#copy(object_name, size_bytes))) gone.push(object_name)
        })
        await syncNames(this.#to, prefix)
      }
    } finally {
      copy.close()
    }
    return gone
  }

  /** False if neither place has the bytes. */
  async #copy(name: string, size: number): Promise<boolean> {
    if ((await findBlobSize(this.#to, name)) === size) return true
    if (!(await copyBlob(this.#from, this.#to, name))) return false
    this.#copiedBlobs += 1
    this.#copiedBytes += size
    return true
  }

  async #removeUnnamed(): Promise<void> {
    const copy = await openData(this.#target)
    try {
      for (const prefix of await listPrefixes(this.#to)) {
        const named = new Set(copy.listBlobs(prefix).map(({ object_name }) => object_name))
        const unnamed = (await listBlobs(this.#to, prefix)).filter((name) => !named.has(name))
        await forEachBlob(unnamed, (name) => rm(join(this.#to, name), { force: true }))
      }
    } finally {
      copy.close()
    }
  }
}
