import type { OperationName } from '@runledger/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { HttpError } from '../errors'
import type { Metrics } from '../metrics/metrics'
import { sendConnectionError } from './error-record'

const KIB = 1024
const MIB = 1024 * KIB

/** Only these take as much as the setting allows. */
const RUN_CREATION: ReadonlySet<string> = new Set<OperationName>([
  'createV1Run',
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

/** All that bodies of requests may hold of the memory at once, those of the usual size by themselves. */
const ROOM_BYTES = 32 * MIB
const USUAL_BYTES = MIB

interface Held {
  usual: number
  long: number
}

/**
 * Where bodies are read into memory and stay until their requests are answered: what is of the usual size in one room,
 * what is longer in another, so that a few long ones keep nobody else out.
 */
export class BodyRooms {
  readonly #held = new Map<IncomingMessage, Held>()
  #usual = 0
  #long = 0

  readonly #metrics: Metrics

  constructor(app: FastifyInstance, metrics: Metrics) {
    this.#metrics = metrics
    app.addHook('onRequest', async ({ raw }, reply) => {
      reply.raw.once('close', () => this.#leave(raw))
    })
  }

  /** Reads a body. @throws HttpError PAYLOAD_TOO_LARGE above the limit of its route, SERVICE_UNAVAILABLE without room */
  async read(request: FastifyRequest, payload: Readable): Promise<Buffer> {
    const limit = request.routeOptions.bodyLimit
    if (Number(request.headers['content-length'] ?? 0) > limit) throw createTooLarge(limit)
    const chunks: Buffer[] = []
    let size = 0
    // A body that is refused is left open: destroying it would cut the connection before the client is told.
    for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw createTooLarge(limit)
      this.#take(request.raw, size)
      chunks.push(chunk)
    }
    if (RUN_CREATION.has(request.routeOptions.config.operation ?? '')) this.#metrics.countBytes('run', size)
    return Buffer.concat(chunks, size)
  }

  #take(request: IncomingMessage, size: number): void {
    const former = this.#held.get(request) ?? { usual: 0, long: 0 }
    const usual = Math.min(size, USUAL_BYTES)
    const held = { usual, long: size - usual }
    this.#usual += held.usual - former.usual
    this.#long += held.long - former.long
    this.#held.set(request, held)
    if (this.#usual <= ROOM_BYTES && this.#long <= ROOM_BYTES) return
    this.#leave(request)
    throw new HttpError('SERVICE_UNAVAILABLE', 'The service is reading too many bodies at once.', {
      retryAfterSeconds: 1,
    })
  }

  #leave(request: IncomingMessage): void {
    const held = this.#held.get(request)
    if (!held) return
    this.#held.delete(request)
    this.#usual -= held.usual
    this.#long -= held.long
  }
}

function createTooLarge(limit: number): HttpError {
  return new HttpError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${limit} bytes, the most that this operation takes.`,
  )
}

// The least that must come of a body within any such time, unless it ends: 8 KiB a second.
const LEAST_BYTES_A_SECOND = 8 * KIB

/**
 * Ends requests whose bodies come slower than 8 KiB a second, measured over `stalledBodySeconds` each time: a byte now and
 * then would hold a connection, and what is read already, for as long as somebody likes.
 */
export function endSlowBodies(app: FastifyInstance, metrics: Metrics, stalledBodySeconds: number): void {
  const marks = new Map<IncomingMessage, { at: number; bytes: number }>()
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (raw.complete || !hasBody(raw)) return
    marks.set(raw, { at: performance.now(), bytes: raw.socket.bytesRead })
    reply.raw.once('close', () => marks.delete(raw))
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [raw, mark] of marks) {
      if (raw.complete) marks.delete(raw)
      const seconds = (now - mark.at) / 1000
      if (raw.complete || seconds < stalledBodySeconds) continue
      const bytes = raw.socket.bytesRead
      if (bytes - mark.bytes < seconds * LEAST_BYTES_A_SECOND)
        sendConnectionError(metrics, 'ERR_HTTP_REQUEST_TIMEOUT', raw.socket)
      else marks.set(raw, { at: now, bytes })
    }
  }, 1_000).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Tells whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0
}
