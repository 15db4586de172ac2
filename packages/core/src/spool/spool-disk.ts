import { appendFileSync, closeSync, fsync, openSync, renameSync, writeFileSync } from 'node:fs'
import { access, appendFile, constants, open, rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { FILE_MODE, makeFolder } from './durable-write'

/** A disk that takes longer for something small is not waited for at once again, in milliseconds. */
const QUICK_MS = 250

const syncDescriptor = promisify(fsync)

/**
 * The disk below a spool. Small things are done at once where it has shown that it answers quickly: handing each to
 * another thread, as Node does otherwise, costs several times what it takes. A slow one (a network folder) is left to
 * those threads, and so is every sync. Errors are the system's.
 */
export class SpoolDisk {
  #isQuick = false

  get isQuick(): boolean {
    return this.#isQuick
  }

  /** Makes a folder that can be written, and finds out how long that takes. */
  async open(folder: string): Promise<void> {
    const startedAtMs = performance.now()
    await makeFolder(folder)
    await access(folder, constants.W_OK)
    this.#isQuick = performance.now() - startedAtMs < QUICK_MS
  }

  /** Writes a file under a temporary name, syncs it and renames it: a reader finds all of it or nothing. */
  async writeDurably(file: string, content: string | Uint8Array): Promise<void> {
    const temporary = `${file}.tmp`
    await this.#do(
      () => writeFileSync(temporary, content, { mode: FILE_MODE }),
      () => writeFile(temporary, content, { mode: FILE_MODE }),
    )
    await this.syncFile(temporary)
    await this.rename(temporary, file)
  }

  /** Adds to a file's end; a crash of the machine may lose it. */
  async append(file: string, content: string): Promise<void> {
    const options = { mode: FILE_MODE }
    await this.#do(
      () => appendFileSync(file, content, options),
      () => appendFile(file, content, options),
    )
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#do(
      () => renameSync(from, to),
      () => rename(from, to),
    )
  }

  /** Waits until a file that is there is on the disk. */
  async syncFile(file: string): Promise<void> {
    await this.#sync(file, 'r+')
  }

  /** Waits until a folder's names are on the disk; a system that cannot open folders (Windows) needs no such thing. */
  async syncFolder(folder: string): Promise<void> {
    try {
      await this.#sync(folder, 'r')
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? ''
      if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(code)) throw error
    }
  }

  /** The same with a file that is open. */
  async syncOpen(descriptor: number): Promise<void> {
    await syncDescriptor(descriptor)
  }

  async #sync(place: string, flags: string): Promise<void> {
    if (this.#isQuick) {
      const descriptor = openSync(place, flags)
      return syncDescriptor(descriptor).finally(() => closeSync(descriptor))
    }
    const handle = await open(place, flags)
    await handle.sync().finally(() => handle.close())
  }

  async #do(atOnce: () => unknown, patiently: () => Promise<unknown>): Promise<void> {
    if (this.#isQuick) return void this.doAtOnce(atOnce)
    const startedAtMs = performance.now()
    await patiently()
    // It may have been slow for a moment, on a busy machine.
    this.#isQuick = performance.now() - startedAtMs < QUICK_MS
  }

  /** Does something small at once, and finds out how long that takes. */
  doAtOnce<Result>(action: () => Result): Result {
    const startedAtMs = performance.now()
    try {
      return action()
    } finally {
      this.#isQuick = performance.now() - startedAtMs < QUICK_MS
    }
  }
}
