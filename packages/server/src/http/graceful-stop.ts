import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { HttpError } from '../errors'

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
