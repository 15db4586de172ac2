import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import type { Context } from '../../operations/call/context'
import { type Principal, principalOwner } from '../../record/access/keys/principal'

const REQUEST_ID_HEADER = 'x-request-id'
const SENT_ID = /^[\w.:-]{1,64}$/

/** Logs at the level `info`. */
export function logRequests(app: FastifyInstance, { log }: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    request.id = idFromProxy(request) ?? request.id
    reply.header(REQUEST_ID_HEADER, request.id)
    // Read it now: a client that has gone has no address. A proxy may report anything.
    request.address = isIP(request.ip) === 0 ? undefined : request.ip
    onOver(reply, (status) => {
      const { principal, method, originalUrl, address: from } = request
      // Without the query, which may hold a signature or a search.
      log.info(`${method} ${normalize(originalUrl.split('?', 1)[0] ?? '')} ${status}`, {
        ms: Math.round(reply.elapsedTime),
        request: request.id,
        from,
        by: principal && nameSender(principal),
      })
    })
  })
}

/** A procedure may have several project keys, and none of them is on record with what it created. */
function nameSender(principal: Principal): string {
  return principal.kind === 'project' ? `key:${principal.keyPublicId}` : principalOwner(principal)
}

// Proxies log the same status.
const BROKEN_OFF = 499

/** Also when the request broke off. */
function onOver({ raw }: FastifyReply, over: (status: number) => void): void {
  raw.once('close', () => over(raw.writableFinished ? raw.statusCode : BROKEN_OFF))
}

/** Decodes characters that need no encoding, so that an encoded key is recognised and masked. */
function normalize(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded
  })
}

/** Undefined unless the proxy is trusted and forwards the client's address. */
function idFromProxy({ headers, ips }: FastifyRequest): string | undefined {
  const sent = headers[REQUEST_ID_HEADER]
  const isOfProxy = ips !== undefined && ips.length > 1
  return isOfProxy && typeof sent === 'string' && SENT_ID.test(sent) ? sent : undefined
}

/** Also counts requests that broke off. */
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
    operation?: string
  }
}
