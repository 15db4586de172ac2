import helmet from '@fastify/helmet'
import fastify, { type FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Context } from '../../operations/call/context'
import { decorateRequests } from './authenticate'
import { readRefusedBodies } from './bodies'
import { BodyMemory, endSlowBodies, limitBodies } from './body-limits'
import { Connections, limitConnections } from './connection-limits'
import { CONNECTION_OPTIONS, serveInOrder, stopGracefully } from './connections'
import { refuse, sendConnectionError } from './error-record'
import { HEADERS } from './headers'
import { countRequests, logRequests } from './monitoring'
import { limitUnsent, UnsentBytes } from './unsent-bytes'

// Applies even in the middle of a body.
const IDLE_CONNECTION_MS = 120_000

const UNKNOWN_PATH = '/-'

/** All ports of a service share them. */
export interface SharedLimits {
  connections: Connections
  unsent: UnsentBytes
}

export function createSharedLimits(context: Context): SharedLimits {
  return { connections: new Connections(context), unsent: new UnsentBytes(context) }
}

interface GuardedApp {
  app: FastifyInstance
  bodyMemory: BodyMemory
}

export async function createGuardedApp(
  context: Context,
  { connections, unsent }: SharedLimits,
): Promise<GuardedApp> {
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
  limitUnsent(app, unsent, limitConnections(app, connections))
  // Before the other hooks, which are for requests that have begun.
  serveInOrder(app, context.metrics)
  await app.register(helmet, HEADERS)
  decorateRequests(app)
  logRequests(app, context)
  countRequests(app, context)
  limitBodies(app, context.config.maxBodyBytes)
  const bodyMemory = new BodyMemory(app, context)
  endSlowBodies(app, context, bodyMemory)
  readRefusedBodies(app)
  stopGracefully(app)
  app.setErrorHandler((thrown, request, reply) => refuse(context, thrown, { request, reply }))
  app.addHook('onRequest', async ({ raw }) => {
    const error = unroutable.get(raw)
    if (error) throw error
  })
  return { app, bodyMemory }
}
