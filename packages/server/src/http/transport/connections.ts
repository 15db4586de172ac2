import { OPERATION_ROUTES } from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError } from '../../base/errors'
import type { Metrics } from '../../base/metrics'

/** Within this the headers of a request, the first of a connection too, must have come. */
const HEADERS_MS = 15_000

/** Options of the HTTP server. */
export const CONNECTION_OPTIONS = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 2_000 }

/** So many requests may wait on one connection for those ahead of them. */
const MOST_PIPELINED = 8

/**
 * Requests that a client sends before it has the responses to those ahead are begun one after another, as they are
 * answered: otherwise a few connections would have thousands of requests under way. One that sends very many is ended.
 */
export function serveInOrder(app: FastifyInstance, metrics: Metrics): void {
  stopParsing(app)
  const lines = new WeakMap<Socket, (() => void)[]>()
  const [beginHealth, beginOther] = [createTurns(), createTurns()]
  app.addHook('onRequest', ({ routeOptions, raw: { socket } }, reply, go) => {
    const isHealth = routeOptions.url?.endsWith(OPERATION_ROUTES.getHealth.path)
    const beginInTurn = isHealth ? beginHealth : beginOther
    const begin = () => beginInTurn({ socket, go })
    // What came together with too many: nobody is there to be answered.
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

/** So many requests are begun in one turn of the event loop. */
const BEGUN_IN_A_TURN = 4

interface Arrival {
  socket: Socket
  go: () => void
}

/**
 * Begins requests in the order in which they came, so many in each turn of the event loop: where a thousand come at once,
 * whoever asks something else is answered between them. Where few come nobody waits, not even for the next turn: a turn may
 * receive much before it begins any. Those whose client has gone are left out, and neither logged nor counted.
 */
export function createTurns(): (arrival: Arrival) => void {
  let waiting: Arrival[] = []
  // All of them exactly when no turn is scheduled.
  let left = BEGUN_IN_A_TURN
  const beginTurn = () => {
    waiting = waiting.filter(({ socket }) => !socket.destroyed)
    const arrivals = waiting.splice(0, BEGUN_IN_A_TURN)
    left = BEGUN_IN_A_TURN - arrivals.length
    if (arrivals.length > 0) setImmediate(beginTurn)
    // One that is begun may end the connection of the next.
    for (const { socket, go } of arrivals) if (!socket.destroyed) go()
  }
  return (arrival) => {
    if (left === BEGUN_IN_A_TURN) setImmediate(beginTurn)
    if (left === 0) return void waiting.push(arrival)
    left -= 1
    arrival.go()
  }
}

/** Node's parser from the inside: what the function returns for the head of a request says how to go on. */
interface HttpParser {
  onIncoming?: (request: IncomingMessage, keepsAlive: boolean) => number
}

const PARSE_ERROR = -1

/**
 * Begins no more requests of a connection that is destroyed. Node parses what has come, 64 KiB at a time, to its end: of
 * each connection of an attacker, hundreds of requests that nobody is there for. It has no public way to stop in the
 * middle; where this one is gone, they cost what they did, and are ended all the same.
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
 * When the app closes, requests that are under way have 10 s to end; then their connections are cut. Until then the
 * service listens on, so that who asks is told 503 and not left without an answer.
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
    // Not `onResponse`, which is never called for a client that goes away.
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
    // Browsers open connections in advance, and the close would wait for them.
    for (const socket of silent) socket.destroy()
  })
}

/** Connections that no request came on yet. */
function trackSilentSockets({ server }: FastifyInstance): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => void silent.delete(socket))
  return silent
}
