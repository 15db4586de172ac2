import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context'
import { createFiguresReader } from '../metrics/storage-figures'
import { METRICS_PATH } from '../openapi/other-paths'
import { onOver } from './request-log'

/** `GET /metrics` for Prometheus; without a key, as scrapers expect, since it tells nothing of what is stored. */
export function registerMetricsRoutes(app: FastifyInstance, context: Context): void {
  const readFigures = createFiguresReader(context.database, context.config.dataDir)
  app.get(
    METRICS_PATH,
    { exposeHeadRoute: false, config: { operation: 'getMetrics' } },
    async (_request, reply) => {
      const { contentType, text } = await context.metrics.format(await readFigures())
      return reply.header('content-type', contentType).header('cache-control', 'no-store').send(text)
    },
  )
  app.head(METRICS_PATH, (_request, reply) => reply.code(200).send())
}

/** Counts every request when it is over, also one that broke off. */
export function countRequests(app: FastifyInstance, { metrics }: Context): void {
  app.addHook('onRequest', async (request, reply) =>
    onOver(reply, (status) =>
      metrics.countRequest({
        operation: operationOf(request),
        status,
        durationSeconds: reply.elapsedTime / 1000,
      }),
    ),
  )
}

function operationOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.operation ?? 'other'
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name under which requests of a route are counted. */
    operation?: string
  }
}
