import { OPERATION_ROUTES } from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError } from '../../base/errors'
import type { Metrics } from '../../base/metrics'

/** Also for the first request on a connection. */
const HEADERS_MS = 15_000

export const CONNECTION_OPTIONS = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 2_000 }

/** A connection with more waiting requests is ended. */
const MOST_PIPELINED = 8

/** Begins the pipelined requests of a connection one by one; otherwise a few connections could have thousands in flight. */
export function serveInOrder(app: FastifyInstance, metrics: Metrics): void {
  stopParsing(app)
  const lines = new WeakMap<Socket, (() => void)[]>()
  const [beginHealth, beginOther] = [createTurns(), createTurns()]
  app.addHook('onRequest', ({ routeOptions, raw: { socket } }, reply, go) => {
    const isHealth = routeOptions.url?.endsWith(OPERATION_ROUTES.getHealth.path)
    const beginInTurn = isHealth ? beginHealth : beginOther
    const begin = () => beginInTurn({ socket, go })
    // This request came with too many others.
    if (socket.destroyed) return
    const line = lines.get(socket) ?? []
    lines.set(socket, line)
    line.push(begin)
    if (line.length > MOST_PIPELINED) {
      metrics.countRefusal('CROWDED')
      return void socket.destroy()
    }
    reply.raw.once('finish', () => {
      line.shift()
      if (socket.writable) line[0]?.()
    })
    if (line.length === 1) begin()
  })
}

const BEGUN_IN_A_TURN = 4

interface Arrival {
  socket: Socket
  go: () => void
}

/**
 * Begins a limited number of requests in each turn of the event loop, so that a thousand at once do not block others. A few never
 * wait, not even for the next turn. Requests whose client has gone are dropped, and neither logged nor counted.
 */
export function createTurns(): (arrival: Arrival) => void {
  let waiting: Arrival[] = []
  // Full exactly when no turn is scheduled.
  let left = BEGUN_IN_A_TURN
  const beginTurn = () => {
    waiting = waiting.filter(({ socket }) => !socket.destroyed)
    const arrivals = waiting.splice(0, BEGUN_IN_A_TURN)
    left = BEGUN_IN_A_TURN - arrivals.length
    if (arrivals.length > 0) setImmediate(beginTurn)
    // Beginning one request may end the connection of the next.
    for (const { socket, go } of arrivals) if (!socket.destroyed) go()
  }
  return (arrival) => {
    if (left === BEGUN_IN_A_TURN) setImmediate(beginTurn)
    if (left === 0) return void waiting.push(arrival)
    left -= 1
    arrival.go()
  }
}

/** Node's internal parser; what its function for a request's head returns says how to go on. */
interface HttpParser {
  onIncoming?: (request: IncomingMessage, keepsAlive: boolean) => number
}

const PARSE_ERROR = -1

/**
 * Node goes on parsing its 64 KiB buffer, which may hold hundreds of an attacker's requests, and has no public way to stop.
 * Without the private one they only cost more.
 */
function stopParsing({ server }: FastifyInstance): void {
  server.on('connection', (socket: Socket & { parser?: HttpParser | null }) => {
    const { parser } = socket
    const begin = parser?.onIncoming
    if (!parser || !begin) return
    parser.onIncoming = (...head) => (socket.destroyed ? PARSE_ERROR : begin(...head))
  })
}

const GRACE_MS = 10_000

/** Requests in flight get 10 s to end. Until then the service listens, so that new requests get 503. */
export function stopGracefully(app: FastifyInstance, graceMs = GRACE_MS): void {
  let isStopping = false
  const silent = trackSilentSockets(app)
  const underWay = new Set<unknown>()
  const drained = new EventTarget()

  app.addHook('onRequest', async (_request, reply) => {
    if (isStopping)
      throw new HttpError('SERVICE_UNAVAILABLE', 'The service is shutting down.', { retryAfterSeconds: 5 })
    underWay.add(reply.raw)
    // `onResponse` is not called when the client goes away.
    reply.raw.once('close', () => {
      underWay.delete(reply.raw)
      if (underWay.size === 0) drained.dispatchEvent(new Event('drained'))
    })
  })
  // A kept-alive connection would delay the close until it times out.
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    isStopping = true
    const signal = AbortSignal.timeout(graceMs)
    if (underWay.size > 0)
      await once(drained, 'drained', { signal }).catch(() => app.server.closeAllConnections())
    // Browsers open connections in advance, and closing would wait for them.
    for (const socket of silent) socket.destroy()
  })
}

function trackSilentSockets({ server }: FastifyInstance): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => void silent.delete(socket))
  return silent
}
