import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { DOWNLOADS_PATH, UPLOADS_PATH } from '../../record/files/attachments/addresses'
import { isMediaType, openAttachment, receiveAttachment } from '../../record/files/attachments/bytes'
import type { Context } from '../../operations/call/context'
import { HttpError } from '../../base/errors'
import { authorizeReading } from '../transport/authenticate'
import { refuseCompressed } from '../transport/bodies'
import { parseInput } from '../../operations/call/input'
import { createContentHeaders, createFileHeaders } from './content-headers'
import { sendBytes } from './send-bytes'
import { verifySignedAddress } from './verify-signed-address'

const ParamsSchema = z.object({ id: z.string() })

/** Streams the bytes, whatever their media type. */
export function registerUploadRoutes(app: FastifyInstance, context: Context): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.put(`${UPLOADS_PATH}/:id`, {
    config: { operation: 'uploadBytes' },
    onRequest: async (request) => {
      forgetBadMediaType(request)
      await verifySignedAddress(context, request, 'upload')
      refusePart(request)
      refuseCompressed(request)
    },
    handler: async (request, reply) => {
      const { id } = parseInput(ParamsSchema, request.params)
      const sizeBytes = await receiveAttachment(context, id, {
        body: request.raw,
        contentType: request.headers['content-type'],
        contentLength: parseLength(request.headers['content-length']),
      })
      context.metrics.countBytes('attachment', sizeBytes)
      return reply.code(200).send()
    },
  })
  app.head(`${UPLOADS_PATH}/:id`, (_request, reply) => reply.code(200).send())
}

// An invalid media type (`None`, an empty header) counts as none; fastify would answer 415.
function forgetBadMediaType({ headers }: FastifyRequest): void {
  if (!isMediaType(headers['content-type'] ?? '')) delete headers['content-type']
}

/** Refuses partial uploads: a part would be stored as the whole file (RFC 9110, 14.5). @throws HttpError BAD_REQUEST */
function refusePart({ headers }: FastifyRequest): void {
  const range = headers['content-range']
  if (range === undefined) return
  const message = `The header Content-Range "${range}" says that this is a part of the bytes. Send all of them, without the header.`
  throw new HttpError('BAD_REQUEST', message)
}

function parseLength(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header)
}

const QuerySchema = z.object({ download: z.string().optional() })

/** `?download=1` always saves the bytes as a file. */
export function registerDownloadRoutes(app: FastifyInstance, context: Context): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOADS_PATH}/:id`,
    exposeHeadRoute: false,
    config: { operation: 'downloadBytes' },
    onRequest: async (request) =>
      isUnsigned(request, context.config.anonymousViewing)
        ? authorizeReading(context, request)
        : verifySignedAddress(context, request, 'download'),
    handler: async (request, reply) => {
      const { id } = parseInput(ParamsSchema, request.params)
      const { download } = parseInput(QuerySchema, request.query)
      const attachment = await openAttachment(context, id)
      reply.headers(createContentHeaders(attachment, download !== undefined && download !== '0'))
      return sendBytes(request, reply, attachment)
    },
  })
}

/** True for an unsigned address that may be read. Markdown has unsigned addresses, because people paste them. */
function isUnsigned({ query, headers }: FastifyRequest, mayAnyoneView: boolean): boolean {
  const isSigned = 'signature' in (query as object) || 'expires' in (query as object)
  return !isSigned && (mayAnyoneView || headers.authorization !== undefined || headers.cookie !== undefined)
}

/** Only signed addresses work here, whatever key or cookie comes with them; pages are shown. */
export function registerFileRoutes(app: FastifyInstance, context: Context): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOADS_PATH}/:id`,
    exposeHeadRoute: false,
    config: { operation: 'downloadBytes' },
    onRequest: async (request) => verifySignedAddress(context, request, 'download'),
    handler: async (request, reply) => {
      const { id } = parseInput(ParamsSchema, request.params)
      const attachment = await openAttachment(context, id)
      reply.headers(createFileHeaders(attachment))
      return sendBytes(request, reply, attachment)
    },
  })
}
