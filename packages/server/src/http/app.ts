import fastify, { type FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'
import type { Context } from '../context'
import { Dashboard } from '../dashboard'
import { HttpError, notFound } from '../errors'
import { DescriptionCache, registerOpenApiRoutes } from '../openapi/openapi-routes'
import { SignInThrottle } from '../sessions/sign-in-throttle'
import { acceptJsonOnly, readRefusedBodies } from './bodies'
import { registerDownloadRoutes, registerUploadRoutes } from './byte-routes'
import { mapError, sendConnectionError, sendError } from './error-record'
import { countRequests, registerMetricsRoutes } from './metrics-routes'
import { decorateRequests, registerOperations } from './register-operations'
import { registerSessionRoutes } from './session-routes'

// A connection on which nothing moves for so long is given up, half-sent bodies included.
const IDLE_CONNECTION_MS = 120_000

/** The whole HTTP interface, every route at `/` and again under `/api` (contract decisions, Addresses). */
export async function createApp(context: Context): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    bodyLimit: context.config.maxBodyBytes,
    connectionTimeout: IDLE_CONNECTION_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    clientErrorHandler: sendConnectionError,
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: (error, request, reply) =>
      void sendError(request, reply, mapError(error, request, context.log)),
  })
  const dashboard = new Dashboard(context)
  decorateRequests(app)
  countRequests(app, context)
  readRefusedBodies(app)
  refuseWhileClosing(app)
  app.setErrorHandler((thrown, request, reply) =>
    sendError(request, reply, mapError(thrown, request, context.log)),
  )
  // In a hook, so that an unknown route is 404 whatever its body is labelled as.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined
    if (dashboard.isNavigation(request)) return dashboard.sendPage(reply, 404)
    throw notFound(`route ${request.method} ${request.url.split('?')[0]}`)
  })
  const throttle = new SignInThrottle()
  const description = new DescriptionCache(context)
  for (const prefix of ['', '/api']) {
    await app.register(async (scope) => registerInterface(scope, { context, throttle, description }), {
      prefix,
    })
  }
  await dashboard.register(app)
  return app
}

interface InterfaceParts {
  context: Context
  throttle: SignInThrottle
  description: DescriptionCache
}

async function registerInterface(
  scope: FastifyInstance,
  { context, throttle, description }: InterfaceParts,
): Promise<void> {
  acceptJsonOnly(scope)
  registerOperations(scope, context)
  registerOpenApiRoutes(scope, description)
  registerSessionRoutes(scope, context, throttle)
  registerDownloadRoutes(scope, context)
  registerMetricsRoutes(scope, context)
  await scope.register(async (uploads) => registerUploadRoutes(uploads, context))
}

function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false
  const silent = trackSilentSockets(app)
  app.addHook('preClose', async () => {
    closing = true
    for (const socket of silent) socket.destroy()
  })
  // A connection kept alive would hold up the close until it times out.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
  app.addHook('onRequest', async () => {
    if (!closing) return
    throw new HttpError('SERVICE_UNAVAILABLE', 'The service is shutting down.', { retryAfterSeconds: 5 })
  })
}

/** Connections that no request came on yet: browsers open them in advance, and a close would wait for them. */
function trackSilentSockets({ server }: FastifyInstance): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => void silent.delete(socket))
  return silent
}
