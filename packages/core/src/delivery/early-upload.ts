import { ApiError, AttachmentError } from '../errors'
import type { Environment } from '../options/options'
import type { ResolvedOptions } from '../options/resolve-options'
import { createBoundedTransport } from '../transport/bounded-transport'
import { startTimeLimit } from '../transport/time-limit'
import type { Transport } from '../transport/transport'
import { createUndiciTransport } from '../transport/undici-transport'
import { sendAttachment } from './deliver-attachments'
import type { DeliverableAttachment } from './deliverable-run'
import { ServiceClient } from './service-client'

const AT_ONCE = 2

/** How long a kept suite waits before it is sent early, in milliseconds: one that the end follows at once is left to it. */
const START_MS = 250

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

interface Connection {
  client: ServiceClient
  transport: Transport
}

/**
 * Sends attachments while tests still run, a few at a time and in no one's way: nothing of it keeps the process alive,
 * nothing is told, and nothing is tried twice. At the first sign of trouble the rest is left to the end of the execution.
 */
export class EarlyUpload {
  readonly #queue: EarlyAttachment[] = []
  readonly #abort = new AbortController()
  #connection: Promise<Connection> | undefined
  #timer: NodeJS.Timeout | undefined
  #working = 0
  #isClosed = false

  constructor(private readonly settings: EarlyUploadSettings) {}

  /** Sends them when there is time. */
  offer(attachments: readonly EarlyAttachment[]): void {
    if (this.#isClosed || attachments.length === 0) return
    this.#queue.push(...attachments)
    this.#timer ??= setTimeout(() => this.#begin(), START_MS).unref()
  }

  /** Begins nothing more; what is under way may take so many milliseconds. */
  close(restMs: number): void {
    this.#isClosed = true
    this.#queue.length = 0
    clearTimeout(this.#timer)
    if (this.#working > 0) this.#timer = setTimeout(() => this.#abort.abort(), restMs).unref()
  }

  /** Cuts off what is still under way. */
  async stop(): Promise<void> {
    this.close(0)
    clearTimeout(this.#timer)
    this.#abort.abort()
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.transport.close()
  }

  #begin(): void {
    this.#timer = undefined
    while (this.#working < AT_ONCE && this.#queue.length > 0) void this.#work()
  }

  async #work(): Promise<void> {
    this.#working += 1
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const sent = this.#send(next.attachment)
      next.onBegin(sent)
      await sent
    }
    this.#working -= 1
  }

  /** Never rejects. */
  async #send(attachment: DeliverableAttachment): Promise<string | undefined> {
    const patience = startTimeLimit(SLOW_MS)
    patience.unref()
    try {
      this.#connection ??= this.#connect()
      const { client } = await this.#connection
      const id = await sendAttachment(client, attachment, patience.stop)
      if (patience.signal.aborted) this.#giveUp()
      return id
    } catch (error) {
      if (!isOfOneAttachment(error)) this.#giveUp()
      return undefined
    } finally {
      patience.stop()
    }
  }

  /** The service has trouble enough. */
  #giveUp(): void {
    this.#isClosed = true
    this.#queue.length = 0
  }

  async #connect(): Promise<Connection> {
    const { options, url, apiKey, env } = this.settings
    const { caFile, requestTimeoutMs, deadlineMs } = options
    const inner = await createUndiciTransport({ caFile, connections: AT_ONCE, env, isBackground: true })
    const transport = createBoundedTransport(inner, AT_ONCE)
    const { signal } = this.#abort
    const limits = { requestTimeoutMs, transferTimeoutMs: deadlineMs, signal, transferSignal: signal }
    return { transport, client: new ServiceClient(transport, { ...options, url, apiKey }, limits) }
  }
}

function isOfOneAttachment(error: unknown): boolean {
  return (
    error instanceof AttachmentError || (error instanceof ApiError && OF_ONE_ATTACHMENT.has(error.statusCode))
  )
}
