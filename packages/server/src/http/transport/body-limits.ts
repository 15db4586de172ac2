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

const RUN_CREATION: ReadonlySet<string> = new Set<OperationName>([
  'createV1Run',
  'createV1Runs',
  'createLenientV1Run',
  'createRun',
])
const PLAIN_BODY_BYTES = MIB
// A key or a code to sign in with.
const OPEN_BODY_BYTES = 4 * KIB

/** Only operations that create runs take the largest bodies. */
export function limitBodies(app: FastifyInstance, maxBodyBytes: number): void {
  app.addHook('onRoute', (route) => {
    const operation = route.config?.operation
    if (operation === undefined) route.bodyLimit = OPEN_BODY_BYTES
    else
      route.bodyLimit = RUN_CREATION.has(operation) ? maxBodyBytes : Math.min(PLAIN_BODY_BYTES, maxBodyBytes)
  })
}

/** The first 64 KiB come from the first budget, the rest from the second: long bodies do not keep short ones waiting. */
const BUDGETS = [
  { from: 0, upTo: 64 * KIB, bytes: 16 * MIB },
  { from: 64 * KIB, upTo: MIB, bytes: 32 * MIB },
  { from: MIB, upTo: Infinity, bytes: 32 * MIB },
]

interface Share {
  bytes: number
  owner: string | undefined
}

/** First come, first served; a key that holds half of the budget waits for other keys. */
class MemoryBudget {
  readonly from: number
  readonly #upTo: number
  readonly #bytes: number
  #held = 0
  readonly #heldBy = new Map<Share['owner'], number>()
  readonly #waiting = new Set<Share & { enter: () => void }>()

  constructor({ from, upTo, bytes }: (typeof BUDGETS)[number]) {
    this.from = from
    this.#upTo = upTo
    this.#bytes = bytes
  }

  shareOf(length: number): number {
    return Math.min(length, this.#upTo) - this.from
  }

  /** @throws HttpError SERVICE_UNAVAILABLE when the share takes longer than `waitMs` */
  async take(share: Share, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(bodyMemoryFullError())
        this.#admitWaiting()
      }, waitMs)
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const waiting = { ...share, enter }
      this.#waiting.add(waiting)
      this.#admitWaiting()
    })
  }

  giveBack({ bytes, owner }: Share): void {
    this.#add({ bytes: -bytes, owner })
    this.#admitWaiting()
  }

  #admitWaiting(): void {
    for (const waiting of this.#waiting) {
      if (this.#hasHalf(waiting)) continue
      if (this.#held > 0 && this.#held + waiting.bytes > this.#bytes) return
      this.#waiting.delete(waiting)
      this.#add(waiting)
      waiting.enter()
    }
  }

  #hasHalf({ bytes, owner }: Share): boolean {
    const held = this.#heldBy.get(owner) ?? 0
    return held > 0 && held + bytes > this.#bytes / 2
  }

  #add({ bytes, owner }: Share): void {
    const held = (this.#heldBy.get(owner) ?? 0) + bytes
    this.#held += bytes
    if (held > 0) this.#heldBy.set(owner, held)
    else this.#heldBy.delete(owner)
  }
}

/** Bodies hold memory until their requests are answered. Without memory the service stops reading. */
export class BodyMemory {
  readonly #budgets = BUDGETS.map((budget) => new MemoryBudget(budget))
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
        for (const giveBack of this.#held.get(raw) ?? []) giveBack()
        this.#held.delete(raw)
      })
    })
  }

  isWaiting(request: IncomingMessage): boolean {
    return this.#waiting.has(request)
  }

  /** @throws HttpError PAYLOAD_TOO_LARGE above the limit of its route, SERVICE_UNAVAILABLE without memory */
  async read(request: FastifyRequest, payload: Readable): Promise<Buffer> {
    const limit = request.routeOptions.bodyLimit
    const length = Number(request.headers['content-length'] ?? limit)
    if (length > limit) throw bodyTooLargeError(limit)
    const chunks: Buffer[] = []
    let size = 0
    const budgets = [...this.#budgets]
    // Take the whole share at once: two bodies with a part each would wait for each other for ever.
    const enter = async (bytes: number) => {
      while (budgets[0] && bytes > budgets[0].from)
        await this.#enter(request, budgets.shift() as MemoryBudget, length)
    }
    await enter(1)
    // Keep a refused body open: destroying it would cut the connection before the client gets the response.
    for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw bodyTooLargeError(limit)
      await enter(size)
      chunks.push(chunk)
    }
    if (RUN_CREATION.has(request.routeOptions.config.operation ?? '')) this.#metrics.countBytes('run', size)
    return Buffer.concat(chunks, size)
  }

  async #enter({ raw, principal }: FastifyRequest, budget: MemoryBudget, length: number): Promise<void> {
    const share = { bytes: budget.shareOf(length), owner: principal && ownerOf(principal) }
    this.#waiting.add(raw)
    await budget.take(share, this.#waitMs).finally(() => this.#waiting.delete(raw))
    const held = this.#held.get(raw)
    held?.push(() => budget.giveBack(share))
    // The client has gone meanwhile.
    if (!held) budget.giveBack(share)
  }
}

/** Undefined without a key: anonymous readers share the limits of strangers. */
export function ownerOf(principal: Principal): string | undefined {
  if (principal.kind === 'anonymous') return undefined
  return principal.kind === 'station' ? `station ${principal.stationId}` : `key ${principal.keyId}`
}

// Random, so that refused clients do not come back together.
const RETRY_AFTER_SECONDS = { from: 5, to: 20 }

function bodyMemoryFullError(): HttpError {
  const { from, to } = RETRY_AFTER_SECONDS
  return new HttpError('SERVICE_UNAVAILABLE', 'The service is reading too many bodies at once.', {
    retryAfterSeconds: from + Math.floor(Math.random() * (to - from)),
  })
}

function bodyTooLargeError(limit: number): HttpError {
  return new HttpError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${limit} bytes, the most that this operation takes.`,
  )
}

// Slower than any connection in use.
const LEAST_BYTES_A_SECOND = 512

/**
 * Slow means below `LEAST_BYTES_A_SECOND`, averaged over `stalledBodySeconds`: such a client would hold a connection and memory
 * for ever. Time spent waiting for memory does not count.
 */
export function endSlowBodies(
  app: FastifyInstance,
  { metrics, config }: Pick<Context, 'metrics' | 'config'>,
  memory: BodyMemory,
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
      else if (memory.isWaiting(raw)) marks.set(raw, { at: now, bytes })
      else if (seconds < config.stalledBodySeconds) continue
      else if (bytes - mark.bytes >= seconds * LEAST_BYTES_A_SECOND) marks.set(raw, { at: now, bytes })
      else sendConnectionError(metrics, 'ERR_HTTP_REQUEST_TIMEOUT', raw.socket)
    }
  }, 1_000).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0
}
