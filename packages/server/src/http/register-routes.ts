import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context'
import type { Principal } from '../keys/principal'
import { authenticate } from './authenticate'
import { sendJson } from './error-record'
import type { Route } from './route'
import { ROUTES } from './routes'

/** Registers the table of routes, and HEAD on every path of it: 200 (contract decisions, Addresses and transport). */
export function registerRoutes(app: FastifyInstance, context: Context): void {
  for (const route of ROUTES) registerRoute(app, context, route)
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    app.head(path, (_request, reply) => reply.code(200).header('content-type', 'application/json').send())
  }
}

function registerRoute(app: FastifyInstance, context: Context, { method, path, auth, answer }: Route): void {
  app.route({
    method,
    url: path,
    exposeHeadRoute: false,
    // Before the body is read: without a key nobody makes the service read one.
    onRequest: async (request) => {
      if (auth === 'key') request.principal = await authenticate(context, request)
    },
    handler: async (request, reply) => {
      const input = {
        params: request.params,
        query: request.query,
        body: request.body,
        headers: request.headers,
      }
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      return sendJson(reply, 200, await answer(context, input, request.principal))
    },
  })
}

/** The place on a request where `authenticate` leaves who asks. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest<FastifyRequest['principal']>('principal', undefined)
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
  }
}
