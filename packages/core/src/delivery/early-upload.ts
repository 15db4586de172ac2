import { setMaxListeners } from 'node:events'
import pLimit, { type LimitFunction } from 'p-limit'
import { ServiceClient } from '../api/service-client'
import type { SendingOptions } from '../config/resolve-options'
import { ApiError, AttachmentError } from '../model/errors'
import type { RunAttachment } from '../model/run'
import { type Connection, createQueuedTransport } from '../transport/connection'
import { sendAttachment } from './send-attachments'

/** Hides round trips, and leaves half of the connections to runs at the end. */
const UPLOADS_AT_ONCE = 8

const OF_ONE_ATTACHMENT = new Set([400, 413, 415, 422])

/** Sends attachments while tests run. Stops at the first error about the service; the delivery at the end sends the rest. */
export class EarlyUpload {
  readonly #limit: LimitFunction
  readonly #offered = new Set<string>()
  /** Undefined for an attachment that could not be sent. */
  readonly #begun = new Map<string, Promise<string | undefined>>()
  readonly #abort = new AbortController()
  #client: Promise<ServiceClient> | undefined
  #isClosed = false

  constructor(private readonly settings: { connection: Promise<Connection>; options: SendingOptions }) {
    const half = Math.ceil(settings.options.concurrency / 2)
    this.#limit = pLimit(Math.min(UPLOADS_AT_ONCE, half))
    setMaxListeners(0, this.#abort.signal)
  }

  /** Undefined if it could not be sent, or was offered before: a changed run is recorded again. */
  async offer(runId: string, attachment: RunAttachment): Promise<string | undefined> {
    const key = keyOf(runId, attachment)
    if (this.#offered.has(key)) return undefined
    this.#offered.add(key)
    return this.#limit(() => {
      if (this.#isClosed) return undefined
      const id = this.#send(attachment)
      this.#begun.set(key, id)
      return id
    })
  }

  find(runId: string, attachment: RunAttachment): Promise<string | undefined> | undefined {
    return this.#begun.get(keyOf(runId, attachment))
  }

  /** Starts no more uploads; those under way continue. */
  close(): void {
    this.#isClosed = true
  }

  abort(): void {
    this.close()
    this.#abort.abort()
  }

  async #send(attachment: RunAttachment): Promise<string | undefined> {
    try {
      this.#client ??= this.#connect()
      return await sendAttachment(await this.#client, attachment)
    } catch (error) {
      const isOfThisOne =
        error instanceof AttachmentError ||
        (error instanceof ApiError && OF_ONE_ATTACHMENT.has(error.statusCode))
      if (!isOfThisOne) this.close()
      return undefined
    }
  }

  async #connect(): Promise<ServiceClient> {
    const { connection, options } = this.settings
    const { transport, limit } = await connection
    const { requestTimeoutMs, deadlineMs } = options
    const { signal } = this.#abort
    const limits = { requestTimeoutMs, transferTimeoutMs: deadlineMs, signal, transferSignal: signal }
    return new ServiceClient(createQueuedTransport(transport, limit), options, limits)
  }
}

/** The service links an id to one run, so an id is valid only for the same name, run and bytes. */
function keyOf(runId: string, { name, contentType, content }: RunAttachment): string {
  return JSON.stringify([
    runId,
    name,
    contentType,
    typeof content === 'object' && 'path' in content ? content.path : '',
  ])
}
