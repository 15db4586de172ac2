import type { OperationName } from '@runledger/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { variableOf } from '../config/budgets'
import type { Context } from '../context'
import { HttpError } from '../errors'
import type { Metrics } from '../metrics/metrics'
import { ownerOf } from './body-limits'

const KIB = 1024

/** What is shorter is in the buffers of the system as soon as it is written. */
const SMALL_BYTES = 16 * KIB

/** What a response holds that is made while it is sent: some pieces of it, and what compresses them. */
const STREAM_BYTES = 2 * 1024 * KIB

/** The same of bytes that are read from a file or a bucket. */
const FILE_BYTES = 128 * KIB

/** Whose responses may be as long as what clients may send. */
const LONG: ReadonlySet<string> = new Set<OperationName>(['getRun', 'listV1Runs'])

/** A client that has taken nothing for so long has stalled. */
const STALLED_MS = 5_000
const LOOK_MS = 500

/** A response that its client has not taken yet. */
interface Unsent {
  raw: ServerResponse
  /** The key that asked; undefined for signed addresses and others that need none. */
  owner: string | undefined
  bytes: number
  /** How much the system had taken when it last took something, and when that was. */
  sent: number
  movedAt: number
}

type Taken = Pick<Unsent, 'raw' | 'owner' | 'bytes'>

/**
 * Limits what responses hold of the memory until their clients take them. One key has half of it at most. Where there is no room for
 * a response, those of its key that stalled are ended, the longest first, or those of the key that holds most where all is taken. With
 * none that stalled a long one waits for a moment, and is then refused.
 */
export function limitUnsent(app: FastifyInstance, { config, metrics }: Context): void {
  const unsent = new UnsentBytes(config.maxUnsentBytes, metrics)
  metrics.watch({
    name: 'runledger_http_unsent_bytes',
    help: 'What responses hold of the memory that their clients have not taken yet',
    read: () => unsent.held,
  })
  // Before they are read: reading what is refused afterwards would keep others waiting.
  app.addHook('preHandler', async (request, { raw }) => {
    if (!LONG.has(request.routeOptions.config.operation ?? '')) return
    const until = performance.now() + config.responseWaitSeconds * 1_000
    if (await unsent.takeBefore(until, { raw, owner: ownerIn(request), bytes: STREAM_BYTES })) return
    throw createTooMuch(config.maxUnsentBytes)
  })
  app.addHook('onSend', async (request, { raw }, payload: unknown) => {
    const bytes = measure(request, payload)
    if (unsent.take({ raw, owner: ownerIn(request), bytes })) return
    if (payload instanceof Readable) payload.destroy()
    throw createTooMuch(config.maxUnsentBytes)
  })
  const timer = setInterval(() => unsent.look(), LOOK_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

function ownerIn({ principal }: FastifyRequest): string | undefined {
  return principal && ownerOf(principal)
}

function measure({ routeOptions }: FastifyRequest, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.byteLength(payload)
  if (!(payload instanceof Readable)) return 0
  return routeOptions.config.operation === 'downloadBytes' ? FILE_BYTES : STREAM_BYTES
}

function createTooMuch(bytes: number): HttpError {
  const message = `Responses to this key wait to be read, of which one key may have ${bytes / 2} bytes (half of ${variableOf('maxUnsentBytes')}). Read them to their end, and ask for fewer at once.`
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}

class UnsentBytes {
  held = 0
  readonly #most: number
  readonly #metrics: Metrics
  readonly #responses = new Map<ServerResponse, Unsent>()
  readonly #heldBy = new Map<Unsent['owner'], number>()
  #waiting: (() => void)[] = []

  constructor(most: number, metrics: Metrics) {
    this.#most = most
    this.#metrics = metrics
  }

  /** The same as soon as there is room; false where there is none by then. */
  async takeBefore(until: number, response: Taken): Promise<boolean> {
    while (!this.#takeNow(response)) {
      if (response.raw.destroyed || performance.now() >= until) return this.#refuse()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    return true
  }

  /** Counts a response until its end, with what is known of it last; false where there is no room for it. */
  take(response: Taken): boolean {
    return this.#takeNow(response) || this.#refuse()
  }

  #refuse(): false {
    this.#metrics.countExceeded('unsent')
    return false
  }

  #takeNow({ raw, owner, bytes }: Taken): boolean {
    const isKnown = this.#remove(raw)
    if (bytes < SMALL_BYTES) return true
    if (!this.#makeRoom(owner, bytes)) return false
    this.#responses.set(raw, { raw, owner, bytes, sent: countSent(raw), movedAt: performance.now() })
    this.#count(owner, bytes)
    if (!isKnown) raw.once('close', () => this.#remove(raw))
    return true
  }

  /** Notes which clients have taken something since the last look. */
  look(): void {
    for (const response of this.#responses.values()) {
      const sent = countSent(response.raw)
      // Where nothing waits, it is not the client that is slow.
      if (sent === response.sent && (response.raw.socket?.writableLength ?? 0) > 0) continue
      Object.assign(response, { sent, movedAt: performance.now() })
    }
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** A key that holds nothing always has room. */
  #makeRoom(owner: Unsent['owner'], bytes: number): boolean {
    for (;;) {
      const own = this.#heldBy.get(owner) ?? 0
      const isOverShare = own > 0 && own + bytes > this.#most / 2
      if (!isOverShare && this.held + bytes <= this.#most) return true
      const stalled = this.#findStalled(isOverShare ? owner : this.#findLargestHolder())
      if (!stalled) return own === 0
      this.#metrics.countExceeded('unsent')
      this.#remove(stalled.raw)
      stalled.raw.destroy()
    }
  }

  #findLargestHolder(): Unsent['owner'] {
    return [...this.#heldBy].toSorted(([, one], [, other]) => other - one)[0]?.[0]
  }

  #findStalled(owner: Unsent['owner']): Unsent | undefined {
    const before = performance.now() - STALLED_MS
    let found: Unsent | undefined
    for (const response of this.#responses.values())
      if (response.owner === owner && response.movedAt < (found?.movedAt ?? before)) found = response
    return found
  }

  #remove(raw: ServerResponse): boolean {
    const response = this.#responses.get(raw)
    if (response === undefined) return false
    this.#count(response.owner, -response.bytes)
    this.#wake()
    return this.#responses.delete(raw)
  }

  #count(owner: Unsent['owner'], bytes: number): void {
    this.held += bytes
    const held = (this.#heldBy.get(owner) ?? 0) + bytes
    if (held > 0) this.#heldBy.set(owner, held)
    else this.#heldBy.delete(owner)
  }
}

/** Bytes that the system has taken of a response. */
function countSent({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0
}
