import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Context } from '../../operations/call/context'
import { HttpError } from '../../base/errors'
import type { Log } from '../../base/log'
import type { ConnectionEnd, Metrics } from '../../base/metrics'
import { isDiskFull } from '../../storage/folder/disk-errors'
import { createV1Error, createV2Error } from '../../operations/call/v1-error'

const JSON_TYPE = 'application/json'

/** Labelled exactly `application/json` (docs/interface.md#addresses-and-transport). */
export function sendJson(reply: FastifyReply, statusCode: number, body: unknown): FastifyReply {
  return reply
    .code(statusCode)
    .header('content-type', JSON_TYPE)
    .send(Buffer.from(JSON.stringify(body)))
}

/** Takes strings, because buffers wait for the garbage collector. */
export function sendJsonText(reply: FastifyReply, text: AsyncIterable<string>): FastifyReply {
  return reply
    .code(200)
    .header('content-type', JSON_TYPE)
    .send(Readable.from(text, { highWaterMark: 1 }))
}

/** The path decides between the records of v1 and v2. */
function sendError(request: FastifyRequest, reply: FastifyReply, error: HttpError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
  if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  // The failed response may have set these headers already.
  for (const header of ['etag', 'content-disposition', 'accept-ranges', 'content-range'])
    reply.removeHeader(header)
  reply.header('cache-control', 'no-store')
  return sendJson(
    reply,
    error.statusCode,
    isV1(request.originalUrl) ? createV1Error(error) : createV2Error(error),
  )
}

/** Uses the record of v1, which every client can read. */
export function sendConnectionError(metrics: Metrics, code: string | undefined, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET') return void socket.destroy()
  const { status, reason, message } = CONNECTION_ENDS[code ?? ''] ?? NOT_HTTP
  metrics.countRefusal(reason)
  const body = JSON.stringify({
    ...createV1Error(new HttpError('BAD_REQUEST', message)),
    status_code: Number.parseInt(status),
  })
  const head = `HTTP/1.1 ${status}\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${body.length}\r\nconnection: close`
  socket.end(`${head}\r\n\r\n${body}`)
}

interface End {
  status: string
  reason: ConnectionEnd
  message: string
}

const NOT_HTTP: End = {
  status: '400 Bad Request',
  reason: 'NOT_HTTP',
  message: 'The request is not HTTP that this service understands.',
}
const CONNECTION_ENDS: Readonly<Record<string, End>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    reason: 'HEADERS_TOO_LARGE',
    message: 'The headers of the request are longer than this service takes. Send fewer, or shorter ones.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    reason: 'TOO_SLOW',
    message: 'The request came too slowly and was given up before its end. Send it again.',
  },
}

export function refuse(context: Context, thrown: unknown, { request, reply }: Exchange): FastifyReply {
  const error = mapError(thrown, request, context.log)
  context.metrics.countRefusal(error.code)
  return sendError(request, reply, error)
}

export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Logs faults of the service, and leaks no detail. */
export function mapError(thrown: unknown, request: FastifyRequest, log: Log): HttpError {
  if (thrown instanceof HttpError) return thrown
  if (isDiskFull(thrown)) {
    log.error('The disk of the data folder, or of the database, is full', thrown, { request: request.id })
    const message = 'The service cannot store anything now: its disk is full.'
    return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 60, cause: thrown })
  }
  if (isBrokenOff(thrown))
    return new HttpError('BAD_REQUEST', 'The request broke off before its end.', { cause: thrown })
  const known = FASTIFY_ERRORS[codeOf(thrown)]
  if (known) return known(thrown)
  if (isClientError(thrown)) return new HttpError('BAD_REQUEST', messageOf(thrown))
  log.error(`${request.method} ${request.routeOptions.url ?? 'unknown route'} failed`, thrown, {
    request: request.id,
  })
  return new HttpError('INTERNAL_SERVER_ERROR', 'Internal server error', { cause: thrown })
}

const FASTIFY_ERRORS: Readonly<Record<string, (thrown: unknown) => HttpError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new HttpError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON: send the header "Content-Type: application/json".',
    ),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new HttpError(
      'URI_TOO_LONG',
      'A part of the path is longer than 500 characters: nothing has such a name.',
    ),
  FST_ERR_CTP_BODY_TOO_LARGE: (thrown) =>
    new HttpError('PAYLOAD_TOO_LARGE', 'The body is larger than this service takes.', { cause: thrown }),
}

function isV1(url: string): boolean {
  return /^\/(?:api\/)?v1(?:[/?]|$)/.test(url)
}

function isBrokenOff(thrown: unknown): boolean {
  return ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(codeOf(thrown))
}

function isClientError(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return false
  return typeof thrown.statusCode === 'number' && thrown.statusCode >= 400 && thrown.statusCode < 500
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : ''
}
