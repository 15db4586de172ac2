import { OPERATION_ROUTES } from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError } from '../../base/errors'
import type { Metrics } from '../../base/metrics'

/** The headers of a request, also of the first on a connection, must come within this time. */
const HEADERS_MS = 15_000

/** Options of the HTTP server. */
export const CONNECTION_OPTIONS = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 2_000 }

/** Most requests that may wait on one connection for those ahead of them. */
const MOST_PIPELINED = 8

/**
 * Begins pipelined requests of a connection one after another, as they are answered: otherwise a few connections could have
 * thousands of requests in flight. A client that sends very many is disconnected.
 */
export function serveInOrder(app: FastifyInstance, metrics: Metrics): void {
  stopParsing(app)
  const lines = new WeakMap<Socket, (() => void)[]>()
  const [beginHealth, beginOther] = [createTurns(), createTurns()]
  app.addHook('onRequest', ({ routeOptions, raw: { socket } }, reply, go) => {
    const isHealth = routeOptions.url?.endsWith(OPERATION_ROUTES.getHealth.path)
    const beginInTurn = isHealth ? beginHealth : beginOther
    const begin = () => beginInTurn({ socket, go })
    // It came together with too many: its client is disconnected.
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

/** Requests that are begun in one turn of the event loop. */
const BEGUN_IN_A_TURN = 4

interface Arrival {
  socket: Socket
  go: () => void
}

/**
 * Begins requests in the order in which they came, a limited number in each turn of the event loop: when a thousand come at once,
 * others are answered in between. With few requests none waits, not even for the next turn. Requests whose client has gone are
 * dropped, and neither logged nor counted.
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

/** Node's internal parser: the return value of the function for a request's head says how to go on. */
interface HttpParser {
  onIncoming?: (request: IncomingMessage, keepsAlive: boolean) => number
}

const PARSE_ERROR = -1

/**
 * Begins no more requests of a destroyed connection. Node parses the rest of its 64 KiB buffer, which may be hundreds of requests
 * of an attacker, and has no public way to stop. Without the private one they cost more, but end all the same.
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

/**
 * When the app closes, requests in flight get 10 s to end; then their connections are cut. Until then the service keeps
 * listening, so that new requests get 503 rather than no answer.
 */
export function stopGracefully(app: FastifyInstance, graceMs = GRACE_MS): void {
  let isStopping = false
  const silent = trackSilentSockets(app)
  const underWay = new Set<unknown>()
  const drained = new EventTarget()

  app.addHook('onRequest', async (_request, reply) => {
    if (isStopping)
      throw new HttpError('SERVICE_UNAVAILABLE', 'The service is shutting down.', { retryAfterSeconds: 5 })
    underWay.add(reply.raw)
    // Not `onResponse`, which is not called when the client goes away.
    reply.raw.once('close', () => {
      underWay.delete(reply.raw)
      if (underWay.size === 0) drained.dispatchEvent(new Event('drained'))
    })
  })
  // A connection kept alive would hold up the close until it times out.
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

/** Connections without a request so far. */
function trackSilentSockets({ server }: FastifyInstance): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => void silent.delete(socket))
  return silent
}
