import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Context } from '../operations/call/context'
import { Dashboard, HEADERS } from './dashboard/dashboard'
import { notFound } from '../base/errors'
import { DescriptionCache, registerOpenApiRoutes } from './openapi/build-description'
import { acceptJsonOnly, readRefusedBodies } from './transport/bodies'
import { BodyMemory, endSlowBodies, limitBodies } from './transport/body-limits'
import { registerDownloadRoutes, registerUploadRoutes } from './routes/byte-routes'
import { limitConnections } from './transport/connection-limits'
import { CONNECTION_OPTIONS, serveInOrder, stopGracefully } from './transport/connections'
import { refuse, sendConnectionError } from './transport/error-record'
import { proveIdentity } from './transport/prove-identity'
import { countRequests, logRequests } from './transport/monitoring'
import { registerMetricsRoutes } from './routes/metrics-routes'
import { createMetricsReader } from '../upkeep/metrics/read-metrics'
import { registerMarkdownRoutes } from './routes/markdown-routes'
import { decorateRequests, registerOperations } from './routes/register-operations'
import { limitUnsent } from './transport/unsent-bytes'
import { registerSessionRoutes, SIGN_IN_LIMIT, type SignInLimit } from './routes/session-routes'

// A connection without traffic for this long is closed, even in the middle of a body.
const IDLE_CONNECTION_MS = 120_000

const UNKNOWN_PATH = '/-'

/** The whole HTTP interface, every route at `/` and again under `/api` (docs/interface.md#addresses-and-transport). */
export async function createApp(context: Context): Promise<FastifyInstance> {
  const unroutable = new WeakMap<IncomingMessage, Error>()
  const app = fastify({
    logger: false,
    http: CONNECTION_OPTIONS,
    trustProxy: context.config.trustProxy ?? false,
    genReqId: () => randomUUID(),
    connectionTimeout: IDLE_CONNECTION_MS,
    return503OnClosing: false,
    // `stopGracefully` has a limit of its own; fastify's would turn a slow stop into a failure.
    pluginTimeout: 0,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    clientErrorHandler: ({ code }, socket) => sendConnectionError(context.metrics, code, socket),
    routerOptions: { maxParamLength: 500 },
    // Hooks only run on routes: send it to an unknown path, so that it waits its turn like any other request.
    frameworkErrors: (error, { raw }, reply) => {
      unroutable.set(raw, error)
      Object.assign(raw, { originalUrl: raw.url, url: UNKNOWN_PATH })
      app.routing(raw, reply.raw)
    },
  })
  // Before compression: responses are counted uncompressed.
  limitUnsent(app, context, limitConnections(app, context))
  // Before the other hooks, which are for requests that have begun.
  serveInOrder(app, context.metrics)
  const dashboard = new Dashboard(context)
  await app.register(helmet, HEADERS)
  await app.register(cookie)
  decorateRequests(app)
  logRequests(app, context)
  countRequests(app, context)
  limitBodies(app, context.config.maxBodyBytes)
  const bodyMemory = new BodyMemory(app, context)
  endSlowBodies(app, context, bodyMemory)
  readRefusedBodies(app)
  stopGracefully(app)
  app.setErrorHandler((thrown, request, reply) => refuse(context, thrown, { request, reply }))
  // In a hook, so that an unknown route is 404 whatever the media type of its body.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined
    const error = unroutable.get(request.raw)
    if (error) throw error
    if (dashboard.isNavigation(request)) return dashboard.sendPage(reply, 404)
    throw notFound(`route ${request.method} ${request.url.split('?')[0]}`)
  })
  await app.register(rateLimit, { global: false })
  await compressAnswers(app)
  const parts = {
    context,
    bodyMemory,
    countFailure: app.createRateLimit(SIGN_IN_LIMIT),
    description: new DescriptionCache(context),
    readMetrics: createMetricsReader(context),
  }
  for (const prefix of ['', '/api'])
    await app.register(async (scope) => registerInterface(scope, parts), { prefix })
  await dashboard.register(app)
  return app
}

interface InterfaceParts {
  context: Context
  bodyMemory: BodyMemory
  countFailure: SignInLimit
  description: DescriptionCache
  readMetrics: ReturnType<typeof createMetricsReader>
}

async function registerInterface(
  scope: FastifyInstance,
  { context, bodyMemory, countFailure, description, readMetrics }: InterfaceParts,
): Promise<void> {
  acceptJsonOnly(scope, bodyMemory)
  proveIdentity(scope, context)
  registerOperations(scope, context)
  registerOpenApiRoutes(scope, description)
  registerSessionRoutes(scope, context, countFailure)
  registerMarkdownRoutes(scope, context)
  registerDownloadRoutes(scope, context)
  registerMetricsRoutes(scope, readMetrics)
  await scope.register(async (uploads) => registerUploadRoutes(uploads, context))
}

const OPTIONS: NonNullable<RouteOptions['compress']> = {
  // Shorter responses fit into a few packets either way.
  threshold: 4 * 1024,
  encodings: ['gzip'],
  zlibOptions: { level: 4 },
}

/**
 * Compresses responses of reading operations if the client accepts it: a run of 5,000 steps shrinks to a tenth. Attachments are
 * not compressed: most are already, and ranges count their own bytes. Compressed responses hold no secret that their length could
 * reveal beside an attacker's text (BREACH): keys are never read back, the session is a header, and whoever may write into a run
 * may read its signed addresses too. Compressed request bodies are refused (415).
 */
async function compressAnswers(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const { operation } = route.config ?? {}
    if (route.method === 'GET' && operation !== undefined && operation !== 'downloadBytes')
      route.compress = OPTIONS
  })
  await app.register(compress, { global: false, globalDecompression: false })
}
