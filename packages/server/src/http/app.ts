import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Context } from '../operations/call/context'
import { Dashboard } from './dashboard/dashboard'
import { notFound } from '../base/errors'
import { createGuardedApp, createSharedLimits, type SharedLimits } from './transport/guarded-app'
import { DescriptionCache, registerOpenApiRoutes } from './openapi/build-description'
import { acceptJsonOnly } from './transport/bodies'
import type { BodyMemory } from './transport/body-limits'
import { registerDownloadRoutes, registerUploadRoutes } from './routes/byte-routes'
import { proveIdentity } from './transport/prove-identity'
import { registerMetricsRoutes } from './routes/metrics-routes'
import { createMetricsReader } from '../upkeep/metrics/read-metrics'
import { registerMarkdownRoutes } from './routes/markdown-routes'
import { registerOperations } from './routes/register-operations'
import { registerProviderRoutes } from './routes/provider-routes'
import { registerSessionRoutes, SIGN_IN_LIMIT, type SignInLimit } from './routes/session-routes'

/** Every route is at `/` and again under `/api` (docs/interface.md#addresses-and-transport). */
export async function createApp(
  context: Context,
  limits: SharedLimits = createSharedLimits(context),
): Promise<FastifyInstance> {
  const { app, bodyMemory } = await createGuardedApp(context, limits)
  const dashboard = new Dashboard(context)
  await app.register(cookie)
  // In a hook, so that an unknown route is 404 whatever the media type of its body.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined
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
  registerProviderRoutes(scope, context, countFailure)
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
 * A run of 5,000 steps shrinks to a tenth. Attachments stay as they are: most are compressed, and ranges count their own bytes.
 * Compression reveals no secret beside an attacker's text (BREACH): keys are never read back, the session is a header, and
 * whoever may write into a run may read its signed addresses.
 */
async function compressAnswers(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const { operation } = route.config ?? {}
    if (route.method === 'GET' && operation !== undefined && operation !== 'downloadBytes')
      route.compress = OPTIONS
  })
  await app.register(compress, { global: false, globalDecompression: false })
}
