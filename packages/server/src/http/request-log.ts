import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context'
import { principalOwner } from '../keys/principal'

const REQUEST_ID_HEADER = 'x-request-id'
const SENT_ID = /^[\w.:-]{1,64}$/

/** Sends each request's id with its response, and logs each response at the level `info`. */
export function logRequests(app: FastifyInstance, { log }: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    request.id = idFromProxy(request) ?? request.id
    reply.header(REQUEST_ID_HEADER, request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { principal, method, originalUrl } = request
    // Without the query: it may sign an address, or be what somebody searched for.
    log.info(`${method} ${originalUrl.split('?', 1)[0]} ${reply.statusCode}`, {
      ms: Math.round(reply.elapsedTime),
      request: request.id,
      from: request.ip,
      by: principal && principalOwner(principal),
    })
  })
}

/** The id that a proxy gave the request; only of one that is trusted and says whom it asks for. */
function idFromProxy({ headers, ips }: FastifyRequest): string | undefined {
  const sent = headers[REQUEST_ID_HEADER]
  const isOfProxy = ips !== undefined && ips.length > 1
  return isOfProxy && typeof sent === 'string' && SENT_ID.test(sent) ? sent : undefined
}
