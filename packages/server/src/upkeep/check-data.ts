import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BLOBS_FOLDER, forEachBlob, PREFIXES } from '../storage/folder/blob-files'
import { openBucket } from '../storage/blobs/open-bucket'
import type { ServerConfig } from '../base/config/server-config'
import { BACKUP_FILE } from '../storage/folder/data-folder'
import { createBucketPlace } from '../storage/database/places/bucket-owner'
import { unusablePlaceError, PLACE_ID, refuseOtherPlace } from '../storage/database/places/bytes-place'
import { createFolderPlace, refuseFolderOfSqlite } from '../storage/database/places/folder-owner'
import { withClient } from '../storage/database/postgres/postgres-connection'
import { readSetting } from '../storage/database/postgres/postgres-migrate'
import { HttpError } from '../base/errors'
import { type CheckedFiles, filesOfBucket, filesOfFolder } from './checked-files'
import { PostgresRows } from './postgres-row-store'
import { type BlobRow, type CheckedRows, type DataCounts, openData, type Problem } from './store'

const MAX_PROBLEMS = 100

export interface DataCheck extends DataCounts {
  ok: boolean
  /** The first 100 problems. */
  problems: Problem[]
  problem_count: number
  /** Files without a row: uploads in progress or interrupted. The service's clean-up deletes them. */
  leftover_files: number
  leftover_bytes: number
}

export interface CheckOptions {
  bytes?: boolean
}

/**
 * Checks the database, its rows against each other, and rows against stored bytes in both directions. A service may use the
 * folder meanwhile. @throws StartError without a database
 */
export async function checkData(folder: string, { bytes = false }: CheckOptions = {}): Promise<DataCheck> {
  const data = await openData(folder)
  try {
    return await new RunningCheck(data, filesOfFolder(join(folder, BLOBS_FOLDER)), bytes).run()
  } finally {
    data.close()
  }
}

/** Like `checkData`, also for PostgreSQL and S3. @throws StartError */
export async function checkPlace(
  { dataDir, database: url, storage }: Pick<ServerConfig, 'dataDir' | 'database' | 'storage'>,
  options: CheckOptions = {},
): Promise<DataCheck> {
  // A backup uses SQLite, whatever database the settings name.
  if (url === undefined || existsSync(join(dataDir, BACKUP_FILE))) return checkData(dataDir, options)
  refuseFolderOfSqlite(dataDir)
  const bucket = storage && (await openBucket(storage))
  const files = bucket ? filesOfBucket(bucket) : filesOfFolder(join(dataDir, BLOBS_FOLDER))
  const place = bucket ? createBucketPlace(bucket) : createFolderPlace(dataDir)
  return withClient(url, async (client) => {
    await refuseOtherPlace(place, await readSetting(client, PLACE_ID))
    const check = new RunningCheck(new PostgresRows(client), files, options.bytes ?? false)
    return check.run().catch((error: unknown) => {
      throw error instanceof HttpError ? unusablePlaceError(place, error) : error
    })
  })
}

class RunningCheck {
  readonly #rows: CheckedRows
  readonly #files: CheckedFiles
  readonly #readsBytes: boolean
  readonly #problems: Problem[] = []
  #problemCount = 0
  #leftoverFiles = 0
  #leftoverBytes = 0

  constructor(rows: CheckedRows, files: CheckedFiles, readsBytes: boolean) {
    this.#rows = rows
    this.#files = files
    this.#readsBytes = readsBytes
  }

  async run(): Promise<DataCheck> {
    let counts: DataCounts = { runs: 0, attachments: 0, blobs: 0, bytes: 0 }
    // Stop if the database cannot be read: further findings would be wrong.
    const isReadable = await this.#addAll(() => this.#rows.listDatabaseProblems())
    if (isReadable && (await this.#addAll(() => this.#rows.listRuleProblems()))) {
      counts = await this.#rows.count()
      for (const prefix of PREFIXES) await this.#checkRows(prefix)
      for await (const names of this.#files.list()) await this.#findLeftovers(names)
    }
    return {
      ok: this.#problemCount === 0,
      ...counts,
      problems: this.#problems,
      problem_count: this.#problemCount,
      leftover_files: this.#leftoverFiles,
      leftover_bytes: this.#leftoverBytes,
    }
  }

  /** False if the database could not be read completely. */
  async #addAll(list: () => Iterable<Problem> | AsyncIterable<Problem>): Promise<boolean> {
    try {
      for await (const problem of list()) this.#add(problem)
      return true
    } catch (error) {
      this.#add({ kind: 'database', message: error instanceof Error ? error.message : String(error) })
      return false
    }
  }

  #add(problem: Problem): void {
    this.#problemCount += 1
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem)
  }

  async #checkRows(prefix: string): Promise<void> {
    await forEachBlob(await this.#rows.listBlobs(prefix), async (row) => {
      const message = await this.#findProblem(row)
      if (message !== undefined) this.#add({ kind: 'bytes', message: `bytes ${row.sha256} ${message}` })
    })
  }

  async #findProblem(row: BlobRow): Promise<string | undefined> {
    const { object_name: name } = row
    const size = (await this.#files.findSize(name)) ?? (await this.#findAgain(name))
    if (size === 'deleted') return undefined
    if (size === undefined) return 'are on record, but there is no file'
    if (size !== row.size_bytes) return `have ${size} bytes instead of ${row.size_bytes}`
    if (!this.#readsBytes) return undefined
    const sha256 = await this.#hash(name)
    return sha256 === row.sha256 || !(await this.#rows.isNamed(name)) ? undefined : `are damaged: ${sha256}`
  }

  /** If the store cannot be reached, fails instead of reporting damage. */
  async #hash(name: string): Promise<string> {
    try {
      return (await this.#files.measure(name)).sha256
    } catch (error) {
      if (error instanceof HttpError) throw error
      return String(error)
    }
  }

  // The service writes the file before the row and deletes the row before the file. So look at the row again first: without a row,
  // the file was deleted meanwhile; with a row, the file must exist.
  async #findAgain(name: string): Promise<number | 'deleted' | undefined> {
    if (!(await this.#rows.isNamed(name))) return 'deleted'
    return this.#files.findSize(name)
  }

  async #findLeftovers(names: readonly string[]): Promise<void> {
    await forEachBlob(names, async (name) => {
      if (await this.#rows.isNamed(name)) return
      const size = await this.#files.findSize(name)
      if (size === undefined || (await this.#rows.isNamed(name))) return
      this.#leftoverFiles += 1
      this.#leftoverBytes += size
    })
  }
}
