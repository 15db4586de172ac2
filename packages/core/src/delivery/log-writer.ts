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

/** How long an execution waits at its end until delivered files are removed, in milliseconds. */
const CLOSING_MS = 2_000

/** Writes an execution's log; after the first failure, runs stay only in memory. Never throws or rejects. */
export class LogWriter {
  #log: ExecutionLog | undefined
  #failure: SpoolError | undefined
  /** Withdrawals that did not fit: without them the log would be wrong. */
  readonly #owed: LogLine[] = []
  #isClosed = false
  /** The execution no longer waits for the disk, and another write could block. */
  #hasGivenUp = false
  #isSafe = true

  constructor(private readonly settings: LogWriterSettings) {}

  /** Why the spool cannot be used. */
  get failure(): SpoolError | undefined {
    return this.#failure
  }

  /** False after a failed sync, or if the log may have to be removed. */
  get isSafe(): boolean {
    return this.#isSafe && this.#owed.length === 0
  }

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

  /** False if the log cannot take the line. After a failure, only short events and `done` are tried. */
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

  /** The log's state of a run must not be sent. */
  withdraw(run: string): void {
    const line = { kind: 'done', run } as const
    if (!this.append(line)) this.#owed.push(line)
  }

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

  /** Leaves the spool. A log that is delivered or wrong is removed. */
  async close(isDelivered: boolean): Promise<void> {
    const log = this.#log
    const isTrue = this.#owed.every((line) => this.append(line))
    this.#isClosed = true
    this.#log = undefined
    const closed = isDelivered || !isTrue ? log?.remove() : log?.release()
    await finishesWithin(Promise.resolve(closed), this.#hasGivenUp ? 0 : CLOSING_MS)
  }
}
