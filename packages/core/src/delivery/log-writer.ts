import { formatTimestampMs } from '@runledger/protocol'
import { SpoolError, toSpoolError } from '../model/errors'
import { ExecutionLog } from '../spool/execution-log'
import type { FileStore } from '../spool/file-store'
import { LOG_VERSION, type LoggedService, type LogLine } from '../spool/log-lines'
import { normalizeServiceUrl } from '../util/text'
import { finishesWithin } from '../util/time-limit'

export interface LogWriterSettings {
  spoolDir: string
  service: LoggedService
  projectRoot: string
}

/** How long the end of an execution waits for a disk to remove what was delivered, in milliseconds. */
const CLOSING_MS = 2_000

/**
 * Writes an execution's log as long as the spool works; after the first failure, runs are kept only in memory. Nothing
 * here throws or rejects.
 */
export class LogWriter {
  #log: ExecutionLog | undefined
  #failure: SpoolError | undefined
  /** Withdrawals that did not fit: without them the log would say something false. */
  readonly #owed: LogLine[] = []
  #isClosed = false
  /** The end has stopped waiting for the disk: the next write could block. */
  #hasGivenUp = false
  #isSafe = true

  constructor(private readonly settings: LogWriterSettings) {}

  /** Why the spool cannot be used, once that has shown. */
  get failure(): SpoolError | undefined {
    return this.#failure
  }

  /** False when nothing is promised to be kept: a sync has failed, or the log may have to be removed. */
  get isSafe(): boolean {
    return this.#isSafe && this.#owed.length === 0
  }

  /** The execution's folder in the spool. */
  get dir(): string | undefined {
    return this.#log?.dir
  }

  get files(): FileStore | undefined {
    return this.#log?.files
  }

  async open(): Promise<void> {
    const { spoolDir, service, projectRoot } = this.settings
    try {
      const log = await ExecutionLog.create(spoolDir, {
        kind: 'execution',
        version: LOG_VERSION,
        createdAt: formatTimestampMs(Date.now()),
        service: { ...service, url: service.url && normalizeServiceUrl(service.url) },
        projectRoot,
      })
      // `finish` gave up on the disk while the folder was being made.
      if (this.#failure !== undefined || this.#isClosed) return await log.remove()
      this.#log = log
    } catch (error) {
      this.fail(error)
    }
  }

  /** False when the log cannot take the line. After a failure it is tried with events and `done` alone, which are short. */
  append(line: LogLine): boolean {
    if (this.#log === undefined || this.#hasGivenUp) return false
    if (this.#failure !== undefined && line.kind !== 'event' && line.kind !== 'done') return false
    try {
      this.#log.append(line)
      return true
    } catch (error) {
      this.fail(error)
      return false
    }
  }

  /** What the log has of a run is not to be sent. */
  withdraw(run: string): void {
    const line = { kind: 'done', run } as const
    if (!this.append(line)) this.#owed.push(line)
  }

  /** Waits until all of it is on the disk, but no longer than so many milliseconds. */
  async sync(patienceMs: number): Promise<void> {
    if (this.#log === undefined || this.#hasGivenUp) return
    try {
      if (!(await finishesWithin(this.#log.sync(), patienceMs))) this.giveUp()
    } catch (error) {
      this.fail(error)
      this.#isSafe = false
    }
  }

  fail(error: unknown): void {
    this.#failure ??= toSpoolError(error)
  }

  giveUp(): void {
    this.#hasGivenUp = true
    this.#isSafe = false
    this.fail(new SpoolError('what was recorded could not be written in time'))
  }

  /**
   * Leaves the spool to others: nothing stays there of an execution whose runs are all delivered, nor of a log that would
   * say something false.
   */
  async close(isDelivered: boolean): Promise<void> {
    const log = this.#log
    const isTrue = this.#owed.every((line) => this.append(line))
    this.#isClosed = true
    this.#log = undefined
    const closed = isDelivered || !isTrue ? log?.remove() : log?.release()
    await finishesWithin(Promise.resolve(closed), this.#hasGivenUp ? 0 : CLOSING_MS)
  }
}
