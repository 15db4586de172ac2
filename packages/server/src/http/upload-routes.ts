import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { UPLOADS_PATH } from '../attachments/address'
import { isMediaType } from '../attachments/media-type'
import { receiveAttachment } from '../attachments/receive-attachment'
import type { Context } from '../context'
import { parseInput } from './parse-input'
import { verifySignedAddress } from './signed-query'

const ParamsSchema = z.object({ id: z.string() })

/** `PUT` of an attachment's bytes to its signed address, streamed whatever its media type. */
export function registerUploadRoutes(app: FastifyInstance, context: Context): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.put(`${UPLOADS_PATH}/:id`, {
    config: { operation: 'uploadBytes' },
    onRequest: async (request) => {
      forgetBadMediaType(request)
      await verifySignedAddress(context, request, 'upload')
    },
    handler: async (request, reply) => {
      const { id } = parseInput(ParamsSchema, request.params)
      await receiveAttachment(context, id, {
        body: request.raw,
        contentType: request.headers['content-type'],
        contentLength: parseLength(request.headers['content-length']),
      })
      return reply.code(200).send()
    },
  })
  app.head(`${UPLOADS_PATH}/:id`, (_request, reply) => reply.code(200).send())
}

// What is no media type (`None`, an empty header) says as much as no header; fastify would answer 415.
function forgetBadMediaType({ headers }: FastifyRequest): void {
  if (!isMediaType(headers['content-type'] ?? '')) delete headers['content-type']
}

function parseLength(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header)
}
