import { appendFileSync, closeSync, fsync, openSync, renameSync, writeFileSync } from 'node:fs'
import { access, appendFile, constants, open, rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { FilePace } from '../file-pace'
import { FILE_MODE, makeFolder } from '../util/durable-write'

const syncDescriptor = promisify(fsync)

/**
 * The disk below a spool. Small things are done at once where it answers quickly; every sync is left to other threads.
 * Errors are the system's.
 */
export class SpoolDisk {
  // What is slow for a moment, on a busy machine, must not put every run into a folder of its own.
  readonly #pace = new FilePace({ slowMs: 250, patience: 0 })

  get isQuick(): boolean {
    return this.#pace.isQuick
  }

  /** Makes a folder that can be written, and finds out how long that takes. */
  async open(folder: string): Promise<void> {
    await this.#pace.find(async () => {
      await makeFolder(folder)
      await access(folder, constants.W_OK)
    })
  }

  /** Writes a file under a temporary name, syncs it and renames it: a reader finds all of it or nothing. */
  async writeDurably(file: string, content: string | Uint8Array): Promise<void> {
    const temporary = `${file}.tmp`
    await this.write(temporary, content)
    await this.syncFile(temporary)
    await this.rename(temporary, file)
  }

  /** Writes a file; a crash of the machine may lose it. */
  async write(file: string, content: string | Uint8Array): Promise<void> {
    const options = { mode: FILE_MODE }
    await this.#pace.do(
      () => writeFileSync(file, content, options),
      () => writeFile(file, content, options),
    )
  }

  /** Adds to a file's end; a crash of the machine may lose it. */
  async append(file: string, content: string): Promise<void> {
    const options = { mode: FILE_MODE }
    await this.#pace.do(
      () => appendFileSync(file, content, options),
      () => appendFile(file, content, options),
    )
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#pace.do(
      () => renameSync(from, to),
      () => rename(from, to),
    )
  }

  /** Waits until a file that is there is on the disk. */
  async syncFile(file: string): Promise<void> {
    await this.#sync(file, 'r+')
  }

  /** The same with a file that another process left: one that cannot be opened, even to be read, is passed over. */
  async syncLeftFile(file: string): Promise<void> {
    for (const sync of [() => this.syncFile(file), () => this.#syncReadable(file)]) {
      try {
        return await sync()
      } catch (error) {
        if (!isUnopenable(error)) throw error
      }
    }
  }

  /** Waits until a folder's names are on the disk; a system that cannot open folders (Windows) needs no such thing. */
  async syncFolder(folder: string): Promise<void> {
    await this.#syncReadable(folder)
  }

  /** Linux syncs what is open to be read alone; where that cannot be done it is passed over. */
  async #syncReadable(place: string): Promise<void> {
    try {
      await this.#sync(place, 'r')
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
    if (this.isQuick) {
      const descriptor = openSync(place, flags)
      return syncDescriptor(descriptor).finally(() => closeSync(descriptor))
    }
    const handle = await open(place, flags)
    await handle.sync().finally(() => handle.close())
  }

  /** Does something small at once, and finds out how long that takes. */
  doAtOnce<Result>(action: () => Result): Result {
    return this.#pace.doAtOnce(action)
  }
}

/** The file itself is to blame, and not that this process has too many open. */
function isUnopenable(error: unknown): boolean {
  const { syscall, code = '' } = error as NodeJS.ErrnoException
  return syscall === 'open' && !['EMFILE', 'ENFILE'].includes(code)
}
