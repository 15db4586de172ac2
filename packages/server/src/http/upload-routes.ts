import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { UPLOADS_PATH } from '../attachments/address'
import { receiveAttachment } from '../attachments/receive-attachment'
import type { Context } from '../context'
import { parseInput } from './parse-input'
import { verifySignedAddress } from './signed-query'

const ParamsSchema = z.object({ id: z.string() })

// How long a client that was refused may go on sending before it is cut off: it hears the answer first.
const REFUSED_BODY_MS = 10_000

/** `PUT` of an attachment's bytes to its signed address, streamed whatever its media type. */
export function registerUploadRoutes(app: FastifyInstance, context: Context): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.put(`${UPLOADS_PATH}/:id`, {
    onRequest: async (request) => verifySignedAddress(context, request, 'upload'),
    onResponse: async (request) => cutOffRefusedBody(request),
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
}

function parseLength(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header)
}

// Node reads on by itself only what nobody began to read.
async function cutOffRefusedBody({ raw }: FastifyRequest): Promise<void> {
  if (raw.complete) return
  raw.resume()
  setTimeout(() => {
    if (!raw.complete) raw.destroy()
  }, REFUSED_BODY_MS).unref()
}
