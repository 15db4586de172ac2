import {
  type Operation,
  OPERATION_ROUTES,
  type OperationName,
  type OperationRoute,
  OPERATIONS,
} from '@runledger/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SentRequest } from '../../operations/call/check-call'
import type { Context } from '../../operations/call/context'
import { JsonText } from '../../operations/call/handler'
import { perform } from '../../operations/perform'
import { authorize } from '../transport/authenticate'
import { hasLargeBody, ignoreBodies } from '../transport/bodies'
import { hasBody } from '../transport/body-limits'
import { sendJson, sendJsonText } from '../transport/error-record'

/** Adds HEAD on every path (docs/interface.md#addresses-and-transport). */
export function registerOperations(app: FastifyInstance, context: Context): void {
  const names = Object.keys(OPERATION_ROUTES) as OperationName[]
  for (const name of names.filter(takesBody)) registerOperation(app, context, name)
  app.register(async (scope) => {
    ignoreBodies(scope)
    for (const name of names.filter((one) => !takesBody(one))) registerOperation(scope, context, name)
  })
  for (const path of new Set(names.map((name) => OPERATION_ROUTES[name].path))) {
    app.head(toFastifyPath(path), (_request, reply) =>
      reply.code(200).header('content-type', 'application/json').send(),
    )
  }
}

function takesBody(name: OperationName): boolean {
  const { body }: Operation = OPERATIONS[name]
  return body !== undefined
}

/** Requests whose body was still coming when their key was checked. */
const sentSlowly = new WeakSet<FastifyRequest>()

function registerOperation(app: FastifyInstance, context: Context, name: OperationName): void {
  const { method, path }: OperationRoute = OPERATION_ROUTES[name]
  const operation: Operation = OPERATIONS[name]
  app.route({
    method,
    url: toFastifyPath(path),
    exposeHeadRoute: false,
    config: { operation: name },
    // Before the body is read: the service reads no body without a key.
    onRequest: async (request) => {
      await authorize(context, request, operation)
      if (hasBody(request.raw) && !request.raw.complete) sentSlowly.add(request)
    },
    // And after it: the key may have been revoked while a slow body came.
    preHandler: async (request) => {
      if (sentSlowly.has(request)) await authorize(context, request, operation)
    },
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      const answer = await perform(context, name, toSentRequest(request))
      return answer instanceof JsonText
        ? sendJsonText(reply, answer.write(context.database))
        : sendJson(reply, 200, answer)
    },
  })
}

function toSentRequest(request: FastifyRequest): SentRequest {
  const { principal, headers, address, params, query, signal } = request
  const takeBody = () => {
    const { body } = request
    request.body = undefined
    return body
  }
  return { principal, headers, address, params, query, takeBody, isLong: hasLargeBody(request), signal }
}

function toFastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
