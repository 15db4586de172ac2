import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { principalOwner } from '../keys/principal'
import { createFiguresReader, type Metrics } from '../metrics/metrics'
import { METRICS_PATH } from '../openapi/other-paths'

const REQUEST_ID_HEADER = 'x-request-id'
const SENT_ID = /^[\w.:-]{1,64}$/

/** Sends each request's id with its response, and logs each request at the level `info` when it is over. */
export function logRequests(app: FastifyInstance, { log }: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    request.id = idFromProxy(request) ?? request.id
    reply.header(REQUEST_ID_HEADER, request.id)
    // Now: who has gone has no address any more. What a proxy was told may be anything.
    const from = isIP(request.ip) === 0 ? undefined : request.ip
    onOver(reply, (status) => {
      const { principal, method, originalUrl } = request
      // Without the query: it may sign an address, or be what somebody searched for.
      log.info(`${method} ${normalize(originalUrl.split('?', 1)[0] ?? '')} ${status}`, {
        ms: Math.round(reply.elapsedTime),
        request: request.id,
        from,
        by: principal && principalOwner(principal),
      })
    })
  })
}

// What proxies, too, write for a request whose client went before it was answered.
const BROKEN_OFF = 499

/** Tells the status of a request when it is over, also one that broke off. */
function onOver({ raw }: FastifyReply, over: (status: number) => void): void {
  raw.once('close', () => over(raw.writableFinished ? raw.statusCode : BROKEN_OFF))
}

/** Decodes what needs no encoding: a key would not be known for one otherwise, and masked. */
function normalize(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded
  })
}

/** The id that a proxy gave the request; only of one that is trusted and says whom it asks for. */
function idFromProxy({ headers, ips }: FastifyRequest): string | undefined {
  const sent = headers[REQUEST_ID_HEADER]
  const isOfProxy = ips !== undefined && ips.length > 1
  return isOfProxy && typeof sent === 'string' && SENT_ID.test(sent) ? sent : undefined
}

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

const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/** A proxy publishes every path by default; Prometheus scrapes the service directly. @throws HttpError FORBIDDEN */
function refuseProxy({ headers }: FastifyRequest): void {
  if (PROXY_HEADERS.every((name) => headers[name] === undefined)) return
  throw new HttpError('FORBIDDEN', 'Metrics are not served through a proxy. Scrape the service directly.')
}

/** `GET /metrics` for Prometheus; without a key, as scrapers expect, since it tells nothing of what is stored. */
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
