import {
  type Operation,
  OPERATION_ROUTES,
  type OperationName,
  type OperationRoute,
  OPERATIONS,
} from '@runledger/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context'
import { type Query, readingFrom } from '../database/database'
import type { Principal } from '../keys/principal'
import { letIn } from './authenticate'
import { hasLargeBody, ignoreBodies } from './bodies'
import { hasBody } from './body-limits'
import { sendJson, sendJsonText } from './error-record'
import { type Call, type Handler, JsonText } from './handler'
import { HANDLERS } from './handlers'
import { parseInput, parseInTurns, readQuery } from './input'
import { createCheckedWrite } from './subjects'

/** Registers every operation of the interface, and HEAD on every path of it: 200 (contract decisions, Addresses and transport). */
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

/** Whose body had not come whole when their key was found. */
const sentSlowly = new WeakSet<FastifyRequest>()

function registerOperation(app: FastifyInstance, context: Context, name: OperationName): void {
  const { method, path }: OperationRoute = OPERATION_ROUTES[name]
  const operation: Operation = OPERATIONS[name]
  const handle = HANDLERS[name] as unknown as Handler<OperationName>
  app.route({
    method,
    url: toFastifyPath(path),
    exposeHeadRoute: false,
    config: { operation: name },
    // Before the body is read: without a key nobody makes the service read one.
    onRequest: async (request) => {
      await letIn(context, request, operation.access)
      if (hasBody(request.raw) && !request.raw.complete) sentSlowly.add(request)
    },
    // And after it: while a body came, as slowly as its sender liked, the key may have been revoked.
    preHandler: async (request) => {
      if (sentSlowly.has(request)) await letIn(context, request, operation.access)
    },
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      const call = await checkCall(context, request, operation)
      const answer = method === 'GET' ? await answerFromSnapshot(handle, call, request) : await handle(call)
      return answer instanceof JsonText
        ? sendJsonText(reply, answer.write(context.database))
        : sendJson(reply, 200, answer)
    },
  })
}

/** All that a request reads is as it was at one moment, and is read no further once its client has gone. */
function answerFromSnapshot(
  handle: Handler<OperationName>,
  call: Call<OperationName>,
  { signal }: FastifyRequest,
): Promise<unknown> {
  const { database } = call.context
  const answer = (query: Query) =>
    handle({ ...call, context: { ...call.context, database: readingFrom(database, query) } })
  return database.read(answer, { signal })
}

// The table says which schemas the operation has, and the type of its handler says the same.
async function checkCall(
  context: Context,
  request: FastifyRequest,
  operation: Operation,
): Promise<Call<OperationName>> {
  const body = operation.isBodyOptional ? (request.body ?? {}) : request.body
  // Not held beside what is made of it: that takes as much memory again.
  request.body = undefined
  const checked = {
    context,
    principal: request.principal as Principal,
    params: request.params,
    query: parseInput(operation.query, readQuery(request.query)),
    body: hasLargeBody(request) ? await parseInTurns(operation.body, body) : parseInput(operation.body, body),
  }
  const call = { ...checked, headers: request.headers, write: createCheckedWrite(operation, checked) }
  return call as unknown as Call<OperationName>
}

function toFastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
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
