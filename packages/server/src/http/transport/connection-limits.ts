import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { variableOf } from '../../base/config/budgets'
import type { Context } from '../../operations/call/context'
import { HttpError } from '../../base/errors'
import type { Metrics } from '../../base/metrics'
import { ownerOf } from './body-limits'

/** Owner of connections without a request. */
const SILENT = 'silent'
/** Owner of connections without a key or a signed address. */
const STRANGER = 'stranger'
/** Owner of connections with signed addresses and no key. */
const HOLDER_OF_ADDRESS = 'address'

export type FindKey = (socket: Socket) => string | undefined

/** Node warns of a leak above this number. */
const MAX_LISTENERS = 20

/**
 * Connections without a key or a signed address get a quarter: a new one ends the oldest without a request, or the least recently
 * used. A key gets half: beyond that, a new one ends an idle one of its own. When nine tenths are taken, a new one ends an idle
 * one of the key with most.
 */
export function limitConnections(app: FastifyInstance, connections: Connections): FindKey {
  const { most } = connections
  app.server.maxConnections = most
  app.server.on('connection', (socket: Socket) => connections.add(socket))
  // Not async: during a promise, the parser would go on before a request is in line (`serveInOrder`).
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    connections.begin(socket)
    reply.raw.setMaxListeners(MAX_LISTENERS)
    reply.raw.once('close', () => connections.end(socket))
    done()
  })
  app.addHook('preParsing', async (request, reply) => {
    const owner = findOwner(request)
    if (owner === undefined || connections.give(request.raw.socket, owner)) return
    reply.header('connection', 'close')
    const message =
      owner === HOLDER_OF_ADDRESS
        ? `Signed addresses have ${Math.floor(most / 2)} connections, the most for all of them (half of ${variableOf('maxConnections')}). Send the request on a connection that your key has used.`
        : `This key has ${Math.floor(most / 2)} connections, the most for one key (half of ${variableOf('maxConnections')}). Close some, or send more requests on each.`
    throw new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 })
  })
  return (socket) => connections.findKey(socket)
}

function findOwner({ principal, routeOptions }: FastifyRequest): string | undefined {
  if (principal) return ownerOf(principal)
  const { operation = '' } = routeOptions.config
  return ['uploadBytes', 'downloadBytes'].includes(operation) ? HOLDER_OF_ADDRESS : undefined
}

export class Connections {
  readonly most: number
  readonly #metrics: Metrics
  readonly #ownerOf = new Map<Socket, string>()
  /** Least recently used first. */
  readonly #byOwner = new Map<string, Set<Socket>>()
  readonly #underWay = new WeakMap<Socket, number>()

  constructor({ config, metrics }: Pick<Context, 'config' | 'metrics'>) {
    this.most = config.maxConnections
    this.#metrics = metrics
    metrics.watch({
      name: 'runledger_http_connections',
      help: 'Connections that are open',
      read: () => this.count,
    })
  }

  get count(): number {
    return this.#ownerOf.size
  }

  add(socket: Socket): void {
    this.#put(socket, SILENT)
    socket.once('close', () => this.#forget(socket))
    const [silent, strangers] = [this.#listOf(SILENT), this.#listOf(STRANGER)]
    const [oldest] = silent
    const [leastUsed] = strangers
    const isCrowded = silent.size + strangers.size > this.most / 4
    if (isCrowded && oldest && oldest !== socket) this.#drop(oldest)
    else if (isCrowded && leastUsed) this.#drop(leastUsed)
    else if (this.count > this.most * 0.9) this.#dropIdle(this.#findLargestOwner())
  }

  begin(socket: Socket): void {
    this.#underWay.set(socket, (this.#underWay.get(socket) ?? 0) + 1)
    const owner = this.#ownerOf.get(socket)
    // Move it to the end: it was used just now.
    if (owner !== undefined) this.#put(socket, owner === SILENT ? STRANGER : owner)
  }

  end(socket: Socket): void {
    this.#underWay.set(socket, (this.#underWay.get(socket) ?? 1) - 1)
  }

  findKey(socket: Socket): string | undefined {
    const owner = this.#ownerOf.get(socket)
    return owner === SILENT || owner === STRANGER || owner === HOLDER_OF_ADDRESS ? undefined : owner
  }

  /** Returns false when the owner has too many and none is idle. */
  give(socket: Socket, owner: string): boolean {
    // The connection has ended meanwhile.
    if (!this.#ownerOf.has(socket) || this.#ownerOf.get(socket) === owner) return true
    // A connection with a key keeps its owner: all signed addresses share one limit.
    if (owner === HOLDER_OF_ADDRESS && this.findKey(socket) !== undefined) return true
    if (this.#listOf(owner).size >= this.most / 2 && !this.#dropIdle(owner)) {
      this.#metrics.countExceeded('connections')
      return false
    }
    this.#put(socket, owner)
    return true
  }

  #put(socket: Socket, owner: string): void {
    this.#forget(socket)
    this.#ownerOf.set(socket, owner)
    const own = this.#byOwner.get(owner) ?? new Set()
    this.#byOwner.set(owner, own.add(socket))
  }

  #forget(socket: Socket): void {
    const owner = this.#ownerOf.get(socket)
    if (owner === undefined) return
    this.#ownerOf.delete(socket)
    const own = this.#byOwner.get(owner)
    own?.delete(socket)
    if (own?.size === 0) this.#byOwner.delete(owner)
  }

  #listOf(owner: string): ReadonlySet<Socket> {
    return this.#byOwner.get(owner) ?? new Set()
  }

  #findLargestOwner(): string {
    const owners = [...this.#byOwner].toSorted(([, one], [, other]) => other.size - one.size)
    return owners[0]?.[0] ?? STRANGER
  }

  #dropIdle(owner: string): boolean {
    for (const socket of this.#listOf(owner)) {
      if ((this.#underWay.get(socket) ?? 0) > 0) continue
      this.#metrics.countExceeded('connections')
      this.#drop(socket)
      return true
    }
    return false
  }

  #drop(socket: Socket): void {
    this.#metrics.countRefusal('CROWDED')
    socket.destroy()
    // Forget it before it closes: the next connection may come sooner.
    this.#forget(socket)
  }
}
