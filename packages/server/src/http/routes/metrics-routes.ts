import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpError } from '../../base/errors'
import type { MetricsText } from '../../upkeep/metrics/read-metrics'
import { METRICS_PATH } from '../openapi/other-paths'

const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/** A proxy publishes every path by default; Prometheus scrapes the service directly. @throws HttpError FORBIDDEN */
function refuseProxy({ headers }: FastifyRequest): void {
  if (PROXY_HEADERS.every((name) => headers[name] === undefined)) return
  throw new HttpError('FORBIDDEN', 'Metrics are not served through a proxy. Scrape the service directly.')
}

/** Scrapers send no key, and the metrics reveal nothing that is stored. */
export function registerMetricsRoutes(app: FastifyInstance, read: () => Promise<MetricsText>): void {
  app.get(
    METRICS_PATH,
    {
      exposeHeadRoute: false,
      config: { operation: 'getMetrics' },
      onRequest: async (request) => refuseProxy(request),
    },
    async (_request, reply) => {
      const { contentType, text } = await read()
      return reply.header('content-type', contentType).header('cache-control', 'no-store').send(text)
    },
  )
  app.head(METRICS_PATH, (_request, reply) => reply.code(200).send())
}
