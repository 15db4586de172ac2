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

/**
 * Writes an execution's log as long as the spool works; after the first failure runs are in memory alone. Nothing here
 * throws or rejects.
 */
export class LogWriter {
  #log: ExecutionLog | undefined
  #failure: SpoolError | undefined
  #isClosed = false
  #isSafe = true

  constructor(private readonly settings: LogWriterSettings) {}

  /** Why the spool cannot be used, once that has shown. */
  get failure(): SpoolError | undefined {
    return this.#failure
  }

  /** False when lines may not be on the disk: what they say must not be relied on. */
  get isSafe(): boolean {
    return this.#isSafe
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
        service: { ...service, url: normalizeServiceUrl(service.url) },
        projectRoot,
      })
      // Nobody waited for it any longer.
      if (this.#failure !== undefined || this.#isClosed) return await log.remove()
      this.#log = log
    } catch (error) {
      this.fail(error)
    }
  }

  /** False when the log cannot take the line. */
  append(line: LogLine): boolean {
    if (this.#log === undefined || this.#failure !== undefined) return false
    try {
      this.#log.append(line)
      return true
    } catch (error) {
      this.fail(error)
      return false
    }
  }

  /** Waits until all of it is on the disk, but no longer than so many milliseconds. */
  async sync(patienceMs: number): Promise<void> {
    if (this.#log === undefined || this.#failure !== undefined) return
    try {
      if (await finishesWithin(this.#log.sync(), patienceMs)) return
      this.fail(new SpoolError(NO_RESPONSE))
    } catch (error) {
      this.fail(error)
    }
    this.#isSafe = false
  }

  fail(error: unknown): void {
    this.#failure ??= toSpoolError(error)
  }

  /** Leaves the spool to others: nothing stays there of an execution whose runs are all delivered. */
  async close(isDelivered: boolean): Promise<void> {
    this.#isClosed = true
    if (isDelivered) await this.#log?.remove()
    else await this.#log?.release()
    this.#log = undefined
  }
}

export const NO_RESPONSE = 'the disk does not respond'
