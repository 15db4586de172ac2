import path from 'node:path'
import { formatEvent, type ProgressEvent } from './progress'
import type { SpoolDisk } from './spool-disk'

/** What came of an entry's delivery, a line for each event. Errors are the system's. */
export class Journal {
  readonly #lines: string[] = []
  /** The write that takes with it what is noted before it begins. */
  #next: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()
  /** It may end in half a line, which would spoil the next one. */
  #mayBeTorn: boolean
  /** How many writes were done, and how many of them were synced. */
  #written: number
  #onDisk = 0
  #synced: Promise<void> = Promise.resolve()

  constructor(
    private readonly file: string,
    private readonly disk: SpoolDisk,
    { isNew }: { isNew: boolean },
  ) {
    this.#mayBeTorn = !isNew
    // What another process left may be in memory alone.
    this.#written = isNew ? 0 : 1
  }

  /** Adds a line. It is whole when this returns, though a crash of the machine may lose it until `sync`. */
  async note(event: ProgressEvent): Promise<void> {
    this.#lines.push(formatEvent(event))
    if (this.#next === undefined) {
      const write = (): Promise<void> => this.#write()
      this.#next = this.#last.then(write, write)
      this.#last = this.#next
    }
    await this.#next
  }

  /** What has come together while the lines before were written goes in one write. */
  async #write(): Promise<void> {
    this.#next = undefined
    const start = this.#mayBeTorn ? '\n' : ''
    this.#mayBeTorn = true
    await this.disk.append(this.file, start + this.#lines.splice(0).join(''))
    this.#mayBeTorn = false
    this.#written += 1
  }

  /** When it returns, all that was noted before is on the disk. */
  sync(): Promise<void> {
    // One that is under way may have begun before the last line was written.
    this.#synced = Promise.allSettled([this.#last, this.#synced]).then(() => this.#syncNow())
    return this.#synced
  }

  async #syncNow(): Promise<void> {
    const written = this.#written
    if (written === this.#onDisk) return
    await this.disk.syncFile(this.file)
    await this.disk.syncFolder(path.dirname(this.file))
    this.#onDisk = written
  }
}
