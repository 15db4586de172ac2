import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { DOWNLOADS_PATH } from '../attachments/address'
import { type OpenAttachment, openAttachment } from '../attachments/open-attachment'
import type { Context } from '../context'
import { createContentHeaders } from './content-headers'
import { parseInput } from './parse-input'
import { parseRange } from './range'
import { verifySignedAddress } from './signed-query'

const ParamsSchema = z.object({ id: z.string() })
const QuerySchema = z.object({ download: z.string().optional() })

/** `GET` of an attachment's bytes from its signed address, with ranges; `?download=1` always saves them as a file. */
export function registerDownloadRoutes(app: FastifyInstance, context: Context): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOADS_PATH}/:id`,
    exposeHeadRoute: false,
    config: { operation: 'downloadBytes' },
    onRequest: async (request) => verifySignedAddress(context, request, 'download'),
    handler: async (request, reply) => {
      const { id } = parseInput(ParamsSchema, request.params)
      const { download } = parseInput(QuerySchema, request.query)
      const attachment = await openAttachment(context, id)
      reply.headers(createContentHeaders(attachment, download !== undefined && download !== '0'))
      return sendBytes(request, reply, attachment)
    },
  })
}

function sendBytes(request: FastifyRequest, reply: FastifyReply, attachment: OpenAttachment): FastifyReply {
  const { sizeBytes } = attachment
  const etag = `"${attachment.sha256}"`
  reply.header('etag', etag)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  const range = isRangeCurrent(request, etag) ? parseRange(request.headers.range, sizeBytes) : 'whole'
  if (range === 'unsatisfiable') {
    return reply
      .code(416)
      .header('content-range', `bytes */${sizeBytes}`)
      .removeHeader('content-disposition')
      .send()
  }
  const part = range === 'whole' ? { start: 0, end: sizeBytes - 1 } : range
  reply.header('content-length', String(part.end - part.start + 1))
  if (range !== 'whole')
    reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${sizeBytes}`)
  if (request.method === 'HEAD' || sizeBytes === 0) return reply.send('')
  return reply.send(attachment.read(part))
}

function isRangeCurrent({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-range']
  return condition === undefined || condition === etag
}
