import { join } from 'node:path'
import {
  BLOBS_FOLDER,
  findSize,
  forEachBlob,
  hashFile,
  listBlobs,
  listPrefixes,
  PREFIXES,
} from '../blobs/blob-files'
import { type BlobRow, type DataCounts, type DataStore, openData, type Problem } from './store'

const MAX_PROBLEMS = 100

export interface DataCheck extends DataCounts {
  ok: boolean
  /** The first 100. */
  problems: Problem[]
  problem_count: number
  /** Files that no row names: uploads that a kill cut short. The service deletes them at its next start. */
  leftover_files: number
  leftover_bytes: number
}

export interface CheckOptions {
  /** Reads all bytes and compares them with their SHA-256. */
  bytes?: boolean
}

/**
 * Checks a data folder or a backup: the database, what its rows say of each other, and the stored bytes, both ways. A
 * service may use the folder meanwhile. @throws StartError when there is no database in it
 */
export async function checkData(folder: string, { bytes = false }: CheckOptions = {}): Promise<DataCheck> {
  const data = await openData(folder)
  const check = new RunningCheck(data, join(folder, BLOBS_FOLDER), bytes)
  try {
    return await check.run()
  } finally {
    data.close()
  }
}

class RunningCheck {
  readonly #data: DataStore
  readonly #folder: string
  readonly #readsBytes: boolean
  readonly #problems: Problem[] = []
  #problemCount = 0
  #leftoverFiles = 0
  #leftoverBytes = 0

  constructor(data: DataStore, folder: string, readsBytes: boolean) {
    this.#data = data
    this.#folder = folder
    this.#readsBytes = readsBytes
  }

  async run(): Promise<DataCheck> {
    let counts: DataCounts = { runs: 0, attachments: 0, blobs: 0, bytes: 0 }
    // What is said of a database that SQLite cannot read to its end would be wrong.
    const isReadable = this.#addAll(() => this.#data.listDatabaseProblems())
    if (isReadable && this.#addAll(() => this.#data.listRuleProblems())) {
      counts = this.#data.count()
      for (const prefix of PREFIXES) await this.#checkRows(prefix)
      for (const prefix of await listPrefixes(this.#folder)) await this.#checkFiles(prefix)
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

  /** False when the database could not be read to its end. */
  #addAll(list: () => Iterable<Problem>): boolean {
    try {
      for (const problem of list()) this.#add(problem)
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
    await forEachBlob(this.#data.listBlobs(prefix), async (row) => {
      const message = await this.#findProblem(row)
      if (message !== undefined) this.#add({ kind: 'bytes', message: `bytes ${row.sha256} ${message}` })
    })
  }

  async #findProblem(row: BlobRow): Promise<string | undefined> {
    const path = join(this.#folder, row.object_name)
    const size = (await findSize(path)) ?? (await this.#findAgain(row.object_name))
    if (size === 'deleted') return undefined
    if (size === undefined) return 'are on record, but there is no file'
    if (size !== row.size_bytes) return `have ${size} bytes instead of ${row.size_bytes}`
    if (!this.#readsBytes) return undefined
    const sha256 = await hashFile(path).catch((error: unknown) => String(error))
    return sha256 === row.sha256 || !this.#data.isNamed(row.object_name)
      ? undefined
      : `are damaged: ${sha256}`
  }

  // A service deletes the row before the file, and writes the file before the row: asked in this order, neither can be
  // missing while the other is rightly there.
  async #findAgain(name: string): Promise<number | 'deleted' | undefined> {
    if (!this.#data.isNamed(name)) return 'deleted'
    return findSize(join(this.#folder, name))
  }

  async #checkFiles(prefix: string): Promise<void> {
    const names = await listBlobs(this.#folder, prefix)
    const known = new Set(this.#data.listBlobs(prefix).map(({ object_name }) => object_name))
    await forEachBlob(names, async (name) => {
      if (known.has(name)) return
      const size = await findSize(join(this.#folder, name))
      if (size === undefined || this.#data.isNamed(name)) return
      this.#leftoverFiles += 1
      this.#leftoverBytes += size
    })
  }
}
