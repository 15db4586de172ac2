import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context'
import { createFiguresReader, type Metrics } from '../metrics/metrics'
import { METRICS_PATH } from '../openapi/other-paths'
import { onOver } from './request-log'

const READ_AGAIN_AFTER_MS = 1_000

type MetricsText = Awaited<ReturnType<Metrics['format']>>

/** Reads the metrics, once a second at most: nobody needs a key for them, and they cost more than other such answers. */
export function createMetricsReader({ database, config, metrics }: Context): () => Promise<MetricsText> {
  const readFigures = createFiguresReader(database, config.dataDir)
  let text: Promise<MetricsText> | undefined
  let readAtMs = -Infinity
  return () => {
    if (!text || performance.now() - readAtMs >= READ_AGAIN_AFTER_MS) {
      readAtMs = performance.now()
      text = readFigures().then((figures) => metrics.format(figures))
      // The next who asks tries again.
      text.catch(() => (text = undefined))
    }
    return text
  }
}

/** `GET /metrics` for Prometheus; without a key, as scrapers expect, since it tells nothing of what is stored. */
export function registerMetricsRoutes(app: FastifyInstance, read: () => Promise<MetricsText>): void {
  app.get(
    METRICS_PATH,
    { exposeHeadRoute: false, config: { operation: 'getMetrics' } },
    async (_request, reply) => {
      const { contentType, text } = await read()
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
