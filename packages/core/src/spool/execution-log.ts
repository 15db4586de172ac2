import { randomUUID } from 'node:crypto'
import { appendFileSync, close, openSync, truncateSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { toSpoolError } from '../model/errors'
import { codeOf, FILE_MODE, FOLDER_MODE, makeFolder, syncFile, syncFolder } from '../util/files'
import { FileStore } from './file-store'
import { isLeased, Lease } from './lease'
import type { ExecutionLine, LogLine } from './log-lines'
import { LOG_FILE, type LoggedExecution, readLog } from './read-log'

const FILES_FOLDER = 'files'
const closeFile = promisify(close)

/**
 * The log of one execution, in a folder that this process holds the lease of:
 *
 *     <spool>/<execution id>/log.jsonl   what the execution recorded and what came of it; only ever appended to
 *     <spool>/<execution id>/files/      bytes of attachments
 *     <spool>/<execution id>/lease-…     the process that writes here
 *
 * Whoever finds the log of a process that has ended takes the lease and appends to it.
 */
export class ExecutionLog {
  readonly files: FileStore
  readonly #file: number
  /** Length of the whole lines. */
  #length: number
  #syncedLength = 0
  /** Rejected once a sync has failed: the system reports a loss once, and a later sync would seem to succeed. */
  #synced: Promise<void> = Promise.resolve()

  private constructor(
    readonly dir: string,
    private readonly lease: Lease,
    length: number,
  ) {
    this.files = new FileStore(path.join(dir, FILES_FOLDER))
    this.#file = openSync(path.join(dir, LOG_FILE), 'a', FILE_MODE)
    this.#length = length
  }

  static async create(spoolDir: string, first: ExecutionLine): Promise<ExecutionLog> {
    const dir = path.join(spoolDir, randomUUID())
    let lease: Lease | undefined
    try {
      await makeFolder(spoolDir)
      await mkdir(dir, { mode: FOLDER_MODE })
      lease = await Lease.write(dir)
      const log = new ExecutionLog(dir, lease, 0)
      log.append(first)
      return log
    } catch (error) {
      await lease?.release()
      await rm(dir, { recursive: true, force: true }).catch(() => undefined)
      throw toSpoolError(error)
    }
  }

  /**
   * Takes over the log of an ended execution. Undefined if a process holds it, or it is gone. @throws CorruptLogError,
   * SpoolError
   */
  static async open(dir: string): Promise<{ log: ExecutionLog; content: LoggedExecution } | undefined> {
    const lease = await Lease.take(dir).catch((error: unknown) => {
      throw toSpoolError(error)
    })
    if (lease === undefined) return undefined
    try {
      const content = await readLog(dir)
      const log = new ExecutionLog(dir, lease, content.lengthBytes)
      log.#truncateHalfLine()
      await log.files.adopt()
      return { log, content }
    } catch (error) {
      await lease.release()
      // Another process has just sent and removed it.
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /**
   * Writes before it returns, so that killing this process does not lose the line; a crash of the machine may, until
   * `sync`. @throws SpoolError
   */
  append(line: LogLine): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    try {
      appendFileSync(this.#file, bytes)
    } catch (error) {
      this.#truncateHalfLine()
      throw toSpoolError(error)
    }
    this.#length += bytes.byteLength
  }

  /** @throws SpoolError, permanently once a sync has failed */
  sync(): Promise<void> {
    // A sync under way may have begun before the last line.
    this.#synced = this.#synced.then(() => this.#syncNow())
    return this.#synced
  }

  async #syncNow(): Promise<void> {
    const length = this.#length
    try {
      await this.files.sync()
      if (length === this.#syncedLength) return
      await syncFile(path.join(this.dir, LOG_FILE))
      for (const folder of [this.dir, path.dirname(this.dir)]) await syncFolder(folder)
      this.#syncedLength = length
    } catch (error) {
      throw toSpoolError(error)
    }
  }

  async release(): Promise<void> {
    await closeFile(this.#file).catch(() => undefined)
    await this.lease.release()
  }

  /** Never rejects: a later execution removes the rest. */
  async remove(): Promise<void> {
    await closeFile(this.#file).catch(() => undefined)
    await removeExecution(this.dir).catch(() => undefined)
    await this.lease.release()
  }

  /** A partial line, left by a full disk or a killed process, would spoil the next one. */
  #truncateHalfLine(): void {
    try {
      // By name: Windows cannot truncate what is open for appending.
      truncateSync(path.join(this.dir, LOG_FILE), this.#length)
    } catch {
      // Readers skip unreadable lines.
    }
  }
}

/** False if a process works on it, or it is gone. Throws the system's errors. */
export async function removeIdleExecution(dir: string): Promise<boolean> {
  const lease = await Lease.take(dir).catch(() => undefined)
  // A full disk has no room for a lease, but must be emptied.
  if (lease === undefined && (await isLeased(dir).catch(() => true))) return false
  try {
    await removeExecution(dir)
  } finally {
    await lease?.release()
  }
  return true
}

/** The log goes first: a folder without one is not sent again. */
export async function removeExecution(dir: string): Promise<void> {
  await rm(path.join(dir, LOG_FILE), { force: true })
  await rm(dir, { recursive: true, force: true })
}
