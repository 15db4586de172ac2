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
import { type Principal, refuseKind } from '../keys/principal'
import { letIn } from './authenticate'
import { hasLargeBody, ignoreBodies } from './bodies'
import { hasBody } from './body-limits'
import { sendJson, sendJsonText } from './error-record'
import { type Call, type Handler, type Handlers, JsonText } from './handler'
import { parseInput, parseInTurns, readQuery } from './input'
import { createCheckedWrite } from './subjects'
import { writingAs } from './writing-as'
import { version } from '../../package.json'
import { withDirectUploads } from '../attachments/direct-uploads'
import { ATTACHMENT_HANDLERS } from '../attachments/handlers'
import { BATCH_HANDLERS } from '../batches/handlers'
import { BUILD_HANDLERS } from '../builds/handlers'
import { MalformedError } from '../errors'
import { IMPORT_HANDLERS } from '../imports/handlers'
import { KEY_HANDLERS } from '../keys/handlers'
import { PART_HANDLERS } from '../parts/handlers'
import { PROCEDURE_HANDLERS } from '../procedures/handlers'
import { refuseMalformedProcedure } from '../procedures/resolve-procedure'
import { RUN_HANDLERS } from '../runs/handlers'
import { LOG_HANDLERS } from '../logs/handlers'
import { MEASUREMENT_HANDLERS } from '../measurements/handlers'
import { PHASE_HANDLERS } from '../phases/handlers'
import { SESSION_HANDLERS } from '../sessions/handlers'
import { SETTINGS_HANDLERS } from '../settings/handlers'
import { STATION_HANDLERS } from '../stations/handlers'
import { TEST_ERROR_HANDLERS } from '../test-errors/handlers'
import { UNIT_HANDLERS } from '../units/handlers'
import { USER_HANDLERS } from '../users/handlers'
import { VERDICT_HANDLERS } from '../verdicts/handlers'

const SERVICE_HANDLERS: Handlers<'getHealth' | 'getReadiness'> = {
  getHealth: () => Promise.resolve({ status: 'ok', version }),
  getReadiness: async ({ context }) => {
    await context.readiness.check()
    return { status: 'ready' }
  },
}

/** What does each operation of the interface. */
const HANDLERS: Handlers<OperationName> = {
  ...RUN_HANDLERS,
  ...PHASE_HANDLERS,
  ...MEASUREMENT_HANDLERS,
  ...LOG_HANDLERS,
  ...TEST_ERROR_HANDLERS,
  ...VERDICT_HANDLERS,
  ...BUILD_HANDLERS,
  ...PART_HANDLERS,
  ...BATCH_HANDLERS,
  ...UNIT_HANDLERS,
  ...ATTACHMENT_HANDLERS,
  ...IMPORT_HANDLERS,
  ...PROCEDURE_HANDLERS,
  ...STATION_HANDLERS,
  ...KEY_HANDLERS,
  ...USER_HANDLERS,
  ...SETTINGS_HANDLERS,
  ...SESSION_HANDLERS,
  ...SERVICE_HANDLERS,
}

/** Registers every operation of the interface, and HEAD on every path of it (docs/interface.md#addresses-and-transport). */
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
      const call = await checkCall(context, request, name)
      const answer = await (method === 'GET'
        ? answerFromSnapshot(handle, call, request)
        : withDirectUploads(context, () => handle(call)))
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

/**
 * A malformed request gets 400 whatever its key; then the key's rights are checked (docs/interface.md#order-of-checks).
 * Values that are out of range come last: clients in the field rely on 403 for them.
 */
async function checkCall(
  context: Context,
  request: FastifyRequest,
  name: OperationName,
): Promise<Call<OperationName>> {
  const operation: Operation = OPERATIONS[name]
  const principal = request.principal as Principal
  const refusal = operation.access === 'none' ? undefined : refuseKind(operation.access, principal)
  const input = await parseRequest(request, operation).catch((error: unknown) => {
    throw refusal && !(error instanceof MalformedError) ? refusal : error
  })
  if (OPERATION_ROUTES[name].path.startsWith('/v2/')) await refuseMalformedProcedure(context, input)
  if (refusal) throw refusal
  const isWrite = OPERATION_ROUTES[name].method !== 'GET' && operation.access !== 'none'
  const checked = {
    ...input,
    context: isWrite ? writingAs(context, principal, operation.access) : context,
    principal,
  }
  const call = { ...checked, headers: request.headers, write: createCheckedWrite(operation, checked) }
  return call as unknown as Call<OperationName>
}

// The table says which schemas the operation has, and the type of its handler says the same.
async function parseRequest(request: FastifyRequest, operation: Operation) {
  const body = operation.isBodyOptional ? (request.body ?? {}) : request.body
  // Not held beside what is made of it: that takes as much memory again.
  request.body = undefined
  parseInput(operation.params, request.params)
  return {
    params: request.params,
    query: parseInput(operation.query, readQuery(request.query)),
    body: hasLargeBody(request) ? await parseInTurns(operation.body, body) : parseInput(operation.body, body),
  }
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
