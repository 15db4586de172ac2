import { setMaxListeners } from 'node:events'
import pLimit, { type LimitFunction } from 'p-limit'
import { ApiError, AttachmentError } from '../model/errors'
import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import { startTimeLimit } from '../util/time-limit'
import type { DeliverableAttachment } from './deliverable-run'
import type { EarlyConnection } from './early-connection'

/** While tests run, which need the machine. */
const AT_ONCE = 2

/** How long a kept suite waits before it is sent early, in milliseconds: one that the end follows at once is left to it. */
const START_MS = 250

/** At the end so many bytes are begun at once: as long as they take, others can be put into the spool. */
const WORTHWHILE_BYTES = 2 * 1024 * 1024

/** A service that needs longer for one attachment's address is left alone, in milliseconds. */
const SLOW_MS = 2_000

/** Answers about this one attachment, not about the service. */
const OF_ONE_ATTACHMENT = new Set([400, 413, 415, 422])

export interface EarlyUploadSettings {
  options: ResolvedOptions
  url: string
  apiKey: string
  env: Environment
}

/** An attachment whose bytes lie in the spool, where nothing changes them. */
export interface EarlyAttachment {
  attachment: DeliverableAttachment
  /** Told when it is begun: the id that the service gives it, or undefined when it could not be sent. */
  onBegin: (id: Promise<string | undefined>) => void
}

/**
 * Sends attachments while tests still run and, at the end, while others are still put into the spool. It is in no one's
 * way: nothing of it keeps the process alive, nothing is told, and nothing is tried twice. At the first sign of trouble
 * the rest is left to the delivery itself.
 */
export class EarlyUpload {
  /** Bounds the requests of this and of the delivery together. */
  readonly limit: LimitFunction
  readonly #queue: EarlyAttachment[] = []
  readonly #abort = new AbortController()
  #connection: Promise<EarlyConnection> | undefined
  #starting: NodeJS.Timeout | undefined
  #ending: NodeJS.Timeout | undefined
  #hasBegun = false
  #isHurried = false
  #offeredBytes = 0
  #working = 0
  #atOnce: number
  #isClosed = false
  #onSettled: (() => void) | undefined

  constructor(private readonly settings: EarlyUploadSettings) {
    const { concurrency } = settings.options
    this.limit = pLimit(concurrency)
    this.#atOnce = Math.min(AT_ONCE, concurrency)
    setMaxListeners(0, this.#abort.signal)
  }

  /** Sends them when there is time. */
  offer(attachments: readonly EarlyAttachment[]): void {
    if (this.#isClosed || attachments.length === 0) return
    this.#queue.push(...attachments)
    for (const { attachment } of attachments) this.#offeredBytes += attachment.sizeBytes
    if (this.#hasBegun || (this.#isHurried && this.#offeredBytes > WORTHWHILE_BYTES)) this.#begin()
    else this.#starting ??= setTimeout(() => this.#begin(), START_MS).unref()
  }

  /** The tests are over: as many at once as the option allows. After so many milliseconds all of it is cut off. */
  hasten(restMs: number): void {
    this.#atOnce = this.settings.options.concurrency
    this.#isHurried = true
    this.#ending = setTimeout(() => this.#abort.abort(), restMs).unref()
    if (this.#hasBegun) this.#begin()
  }

  /** Waits, at most so many milliseconds, until all that was offered is sent or trouble has shown; only after the tests, and once. */
  async settled(patienceMs: number): Promise<void> {
    if (!this.#isHurried || this.#isClosed || this.#working === 0) return
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, patienceMs).unref()
      this.#onSettled = () => {
        clearTimeout(patience)
        resolve()
      }
    })
  }

  /** Begins nothing more; what is under way goes on. */
  close(): void {
    this.#isClosed = true
    this.#queue.length = 0
    clearTimeout(this.#starting)
    this.#onSettled?.()
  }

  /** Cuts off what is still under way. */
  async stop(): Promise<void> {
    this.close()
    clearTimeout(this.#ending)
    this.#abort.abort()
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }

  #begin(): void {
    this.#hasBegun = true
    while (this.#working < this.#atOnce && this.#queue.length > 0) void this.#work()
  }

  async #work(): Promise<void> {
    this.#working += 1
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const sent = this.#send(next.attachment)
      next.onBegin(sent)
      await sent
    }
    this.#working -= 1
    if (this.#working === 0) this.#onSettled?.()
  }

  /** Never rejects. */
  async #send(attachment: DeliverableAttachment): Promise<string | undefined> {
    const patience = startTimeLimit(SLOW_MS)
    patience.unref()
    patience.signal.addEventListener('abort', () => this.close(), { once: true })
    try {
      this.#connection ??= this.#connect()
      const connection = await this.#connection
      return await connection.send(attachment, patience.stop)
    } catch (error) {
      if (!isOfOneAttachment(error)) this.close()
      return undefined
    } finally {
      patience.stop()
    }
  }

  /** An execution without attachments loads nothing for them. */
  async #connect(): Promise<EarlyConnection> {
    const { connectEarly } = await import('./early-connection')
    return connectEarly(this.settings, { limit: this.limit, signal: this.#abort.signal })
  }
}

function isOfOneAttachment(error: unknown): boolean {
  return (
    error instanceof AttachmentError || (error instanceof ApiError && OF_ONE_ATTACHMENT.has(error.statusCode))
  )
}
