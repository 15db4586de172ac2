import type { OperationName } from '@runledger/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Context } from '../../operations/call/context'
import { HttpError } from '../../base/errors'
import type { Principal } from '../../record/access/keys/principal'
import type { Metrics } from '../../base/metrics'
import { sendConnectionError } from './error-record'

const KIB = 1024
const MIB = 1024 * KIB

/** Only these take as much as the setting allows. */
const RUN_CREATION: ReadonlySet<string> = new Set<OperationName>([
  'createV1Run',
  'createV1Runs',
  'createLenientV1Run',
  'createRun',
])
const PLAIN_BODY_BYTES = MIB
// Of a route that no key is needed for: a key or a code to sign in with.
const OPEN_BODY_BYTES = 4 * KIB

/** Gives each route its own limit: the largest that is taken only where runs are created. */
export function limitBodies(app: FastifyInstance, maxBodyBytes: number): void {
  app.addHook('onRoute', (route) => {
    const operation = route.config?.operation
    if (operation === undefined) route.bodyLimit = OPEN_BODY_BYTES
    else
      route.bodyLimit = RUN_CREATION.has(operation) ? maxBodyBytes : Math.min(PLAIN_BODY_BYTES, maxBodyBytes)
  })
}

/**
 * What bodies may hold of the memory at once, by their size: each has its first 64 KiB in the first room, the rest of its
 * first MiB in the second, so that a few long ones keep nobody else out.
 */
const ROOMS = [
  { from: 0, upTo: 64 * KIB, bytes: 16 * MIB },
  { from: 64 * KIB, upTo: MIB, bytes: 32 * MIB },
  { from: MIB, upTo: Infinity, bytes: 32 * MIB },
]

/** What a body takes of a room, and for whom. */
interface Place {
  bytes: number
  /** The key that it was sent with. */
  owner: string | undefined
}

/** Who comes first has room first, but for one key that holds half of it already: others go ahead of its bodies. */
class Room {
  readonly from: number
  readonly #upTo: number
  readonly #bytes: number
  #held = 0
  readonly #heldBy = new Map<Place['owner'], number>()
  readonly #waiting = new Set<Place & { enter: () => void }>()

  constructor({ from, upTo, bytes }: (typeof ROOMS)[number]) {
    this.from = from
    this.#upTo = upTo
    this.#bytes = bytes
  }

  /** What a body of this length needs here. */
  partOf(length: number): number {
    return Math.min(length, this.#upTo) - this.from
  }

  /** Waits for so much room. @throws HttpError SERVICE_UNAVAILABLE when there is none in time */
  async take(place: Place, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(createTooFull())
        this.#letIn()
      }, waitMs)
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const waiting = { ...place, enter }
      this.#waiting.add(waiting)
      this.#letIn()
    })
  }

  leave({ bytes, owner }: Place): void {
    this.#add({ bytes: -bytes, owner })
    this.#letIn()
  }

  #letIn(): void {
    for (const waiting of this.#waiting) {
      if (this.#hasHalf(waiting)) continue
      if (this.#held > 0 && this.#held + waiting.bytes > this.#bytes) return
      this.#waiting.delete(waiting)
      this.#add(waiting)
      waiting.enter()
    }
  }

  #hasHalf({ bytes, owner }: Place): boolean {
    const held = this.#heldBy.get(owner) ?? 0
    return held > 0 && held + bytes > this.#bytes / 2
  }

  #add({ bytes, owner }: Place): void {
    const held = (this.#heldBy.get(owner) ?? 0) + bytes
    this.#held += bytes
    if (held > 0) this.#heldBy.set(owner, held)
    else this.#heldBy.delete(owner)
  }
}

/**
 * Where bodies are read into memory and stay until their requests are answered. One for which there is no room is not
 * read until there is: its client waits in the middle of sending it.
 */
export class BodyRooms {
  readonly #rooms = ROOMS.map((room) => new Room(room))
  readonly #held = new Map<IncomingMessage, (() => void)[]>()
  readonly #waiting = new Set<IncomingMessage>()
  readonly #metrics: Metrics
  readonly #waitMs: number

  constructor(app: FastifyInstance, { metrics, config }: Pick<Context, 'metrics' | 'config'>) {
    this.#metrics = metrics
    this.#waitMs = config.bodyWaitSeconds * 1000
    app.addHook('onRequest', async ({ raw }, reply) => {
      this.#held.set(raw, [])
      reply.raw.once('close', () => {
        for (const leave of this.#held.get(raw) ?? []) leave()
        this.#held.delete(raw)
      })
    })
  }

  /** Tells whether it is us who make its client wait. */
  isWaiting(request: IncomingMessage): boolean {
    return this.#waiting.has(request)
  }

  /** Reads a body. @throws HttpError PAYLOAD_TOO_LARGE above the limit of its route, SERVICE_UNAVAILABLE without room */
  async read(request: FastifyRequest, payload: Readable): Promise<Buffer> {
    const limit = request.routeOptions.bodyLimit
    const length = Number(request.headers['content-length'] ?? limit)
    if (length > limit) throw createTooLarge(limit)
    const chunks: Buffer[] = []
    let size = 0
    const rooms = [...this.#rooms]
    // All that it needs of a room at once: two that each wait for the other's part would wait for good.
    const enter = async (bytes: number) => {
      while (rooms[0] && bytes > rooms[0].from) await this.#enter(request, rooms.shift() as Room, length)
    }
    await enter(1)
    // A body that is refused is left open: destroying it would cut the connection before the client is told.
    for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw createTooLarge(limit)
      await enter(size)
      chunks.push(chunk)
    }
    if (RUN_CREATION.has(request.routeOptions.config.operation ?? '')) this.#metrics.countBytes('run', size)
    return Buffer.concat(chunks, size)
  }

  async #enter({ raw, principal }: FastifyRequest, room: Room, length: number): Promise<void> {
    const place = { bytes: room.partOf(length), owner: principal && ownerOf(principal) }
    this.#waiting.add(raw)
    await room.take(place, this.#waitMs).finally(() => this.#waiting.delete(raw))
    const held = this.#held.get(raw)
    held?.push(() => room.leave(place))
    // Its client has gone meanwhile.
    if (!held) room.leave(place)
  }
}

/** The owner whose share of a limit a request uses. */
export function ownerOf(principal: Principal): string {
  return principal.kind === 'station' ? `station ${principal.stationId}` : `key ${principal.keyId}`
}

// Those who are refused together are not to come back together.
const RETRY_AFTER_SECONDS = { from: 5, to: 20 }

function createTooFull(): HttpError {
  const { from, to } = RETRY_AFTER_SECONDS
  return new HttpError('SERVICE_UNAVAILABLE', 'The service is reading too many bodies at once.', {
    retryAfterSeconds: from + Math.floor(Math.random() * (to - from)),
  })
}

function createTooLarge(limit: number): HttpError {
  return new HttpError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${limit} bytes, the most that this operation takes.`,
  )
}

// The least that must come of a body within any such time, unless it ends: less than any line has that somebody uses.
const LEAST_BYTES_A_SECOND = 512

/**
 * Ends requests whose bodies come slower than that, measured over `stalledBodySeconds` each time: a byte now and then would
 * hold a connection, and what is read already, for as long as somebody likes. While one waits for room, nothing can come.
 */
export function endSlowBodies(
  app: FastifyInstance,
  { metrics, config }: Pick<Context, 'metrics' | 'config'>,
  rooms: BodyRooms,
): void {
  const marks = new Map<IncomingMessage, { at: number; bytes: number }>()
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (raw.complete || !hasBody(raw)) return
    marks.set(raw, { at: performance.now(), bytes: raw.socket.bytesRead })
    reply.raw.once('close', () => marks.delete(raw))
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [raw, mark] of marks) {
      const bytes = raw.socket.bytesRead
      const seconds = (now - mark.at) / 1000
      if (raw.complete) marks.delete(raw)
      else if (rooms.isWaiting(raw)) marks.set(raw, { at: now, bytes })
      else if (seconds < config.stalledBodySeconds) continue
      else if (bytes - mark.bytes >= seconds * LEAST_BYTES_A_SECOND) marks.set(raw, { at: now, bytes })
      else sendConnectionError(metrics, 'ERR_HTTP_REQUEST_TIMEOUT', raw.socket)
    }
  }, 1_000).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Tells whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0
}
