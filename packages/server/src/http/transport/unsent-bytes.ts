import type { OperationName } from '@runledger/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { variableOf } from '../../base/config/budgets'
import type { Context } from '../../operations/call/context'
import { HttpError } from '../../base/errors'
import type { Metrics } from '../../base/metrics'
import { ownerOf } from './body-limits'
import type { FindKey } from './connection-limits'

const KIB = 1024

/** Shorter responses fit into the system's buffers. */
const SMALL_BYTES = 16 * KIB

/** A streamed response holds some pieces of it, and the compressor. */
const STREAM_BYTES = 2 * 1024 * KIB

const FILE_BYTES = 128 * KIB

/** Operations whose responses may be as long as a request. */
const LONG: ReadonlySet<string> = new Set<OperationName>(['getRun', 'listV1Runs'])

const STALLED_MS = 5_000
const LOOK_MS = 500

interface Unsent {
  raw: ServerResponse
  /** The key that asked, or that has the connection; requests without one share undefined. */
  owner: string | undefined
  bytes: number
  /** Bytes that the system had taken at the last check. */
  sent: number
  /** When that number last grew. */
  movedAt: number
}

type Taken = Pick<Unsent, 'raw' | 'owner' | 'bytes'>

/**
 * One key has at most half of the memory. A response without room ends stalled ones, the longest stalled first: of its own key,
 * or of the key with most when all memory is taken. If none has stalled, a long response waits and is then refused.
 */
export function limitUnsent(app: FastifyInstance, unsent: UnsentBytes, findKey: FindKey): void {
  const ownerIn = ({ principal, raw }: FastifyRequest) =>
    principal ? ownerOf(principal) : findKey(raw.socket)
  // Check before the database reads the run: a read for nothing would delay others.
  app.addHook('preHandler', async (request, { raw }) => {
    if (!LONG.has(request.routeOptions.config.operation ?? '')) return
    const until = performance.now() + unsent.waitMs
    if (await unsent.takeBefore(until, { raw, owner: ownerIn(request), bytes: STREAM_BYTES })) return
    throw tooManyUnsentBytesError(unsent.most)
  })
  app.addHook('onSend', async (request, { raw }, payload: unknown) => {
    const bytes = measure(request, payload)
    if (unsent.take({ raw, owner: ownerIn(request), bytes })) return
    if (payload instanceof Readable) payload.destroy()
    throw tooManyUnsentBytesError(unsent.most)
  })
  const timer = setInterval(() => unsent.look(), LOOK_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

function measure({ routeOptions }: FastifyRequest, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.byteLength(payload)
  if (!(payload instanceof Readable)) return 0
  const { operation } = routeOptions.config
  // A route without an operation is a file of the dashboard.
  return operation === undefined || operation === 'downloadBytes' ? FILE_BYTES : STREAM_BYTES
}

function tooManyUnsentBytesError(bytes: number): HttpError {
  const message = `Responses to this key have not been read, and one key may have ${bytes / 2} bytes of them (half of ${variableOf('maxUnsentBytes')}). Read them to their end, and send fewer requests at once.`
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
}

export class UnsentBytes {
  held = 0
  readonly most: number
  readonly waitMs: number
  readonly #metrics: Metrics
  readonly #responses = new Map<ServerResponse, Unsent>()
  readonly #heldBy = new Map<Unsent['owner'], number>()
  #waiting: (() => void)[] = []

  constructor({ config, metrics }: Pick<Context, 'config' | 'metrics'>) {
    this.most = config.maxUnsentBytes
    this.waitMs = config.responseWaitSeconds * 1_000
    this.#metrics = metrics
    metrics.watch({
      name: 'runledger_http_unsent_bytes',
      help: 'Memory of responses that their clients have not read yet',
      read: () => this.held,
    })
  }

  async takeBefore(until: number, response: Taken): Promise<boolean> {
    while (!this.#takeNow(response)) {
      if (performance.now() >= until) return this.#refuse()
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    return true
  }

  /** Counts a response until it closes, anew if counted before; false without room. */
  take(response: Taken): boolean {
    return this.#takeNow(response) || this.#refuse()
  }

  #refuse(): false {
    this.#metrics.countExceeded('unsent')
    return false
  }

  #takeNow({ raw, owner, bytes }: Taken): boolean {
    const isKnown = this.#remove(raw)
    // A client that has gone holds nothing, and its response will not close again.
    if (bytes < SMALL_BYTES || raw.destroyed) return true
    if (!this.#makeRoom(owner, bytes)) return false
    this.#responses.set(raw, { raw, owner, bytes, sent: countSent(raw), movedAt: performance.now() })
    this.#count(owner, bytes)
    if (!isKnown) raw.once('close', () => this.#remove(raw))
    return true
  }

  look(): void {
    for (const response of this.#responses.values()) {
      const sent = countSent(response.raw)
      // With an empty buffer, the service is slow, not the client.
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
      const isOverShare = own > 0 && own + bytes > this.most / 2
      if (!isOverShare && this.held + bytes <= this.most) return true
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

/** As far as the system has taken them. */
function countSent({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0
}
