import type { FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Context } from '../context'
import { principalOwner } from '../keys/principal'

const REQUEST_ID_HEADER = 'x-request-id'
const SENT_ID = /^[\w.:-]{1,64}$/

/** The id of a request in the log and in its response; a proxy that is trusted may have given it one. */
export function createRequestId({ headers }: IncomingMessage, isBehindProxy: boolean): string {
  const sent = headers[REQUEST_ID_HEADER]
  return isBehindProxy && typeof sent === 'string' && SENT_ID.test(sent) ? sent : randomUUID()
}

/** Sends each request's id with its response, and logs each response at the level `info`. */
export function logRequests(app: FastifyInstance, { log }: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { principal, method, url } = request
    // Without the query: it may sign an address, or be what somebody searched for.
    log.info(`${method} ${url.split('?', 1)[0]} ${reply.statusCode}`, {
      ms: Math.round(reply.elapsedTime),
      request: request.id,
      from: request.ip,
      by: principal && principalOwner(principal),
    })
  })
}
