import { dropBidiControls } from '@runledger/presentation'
import contentDisposition from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type AddressPurpose, DOWNLOADS_PATH, UPLOADS_PATH } from '../../record/files/attachments/addresses'
import {
  bareMediaType,
  isMediaType,
  type OpenAttachment,
  openAttachment,
  receiveAttachment,
  UNKNOWN_MEDIA_TYPE,
} from '../../record/files/attachments/bytes'
import type { ByteRange } from '../../storage/blobs/blob-store'
import type { Context } from '../../operations/call/context'
import { HttpError } from '../../base/errors'
import { authorize } from '../transport/authenticate'
import { refuseCompressed } from '../transport/bodies'
import { parseInput } from '../../operations/call/input'

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

/** A part would be stored as the whole (RFC 9110, 14.5). @throws HttpError BAD_REQUEST */
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

/** `GET` of an attachment's bytes, from its signed address or with a key or session, with ranges; `?download=1` always saves them as a file. */
export function registerDownloadRoutes(app: FastifyInstance, context: Context): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOADS_PATH}/:id`,
    exposeHeadRoute: false,
    config: { operation: 'downloadBytes' },
    onRequest: async (request) =>
      isUnsigned(request)
        ? authorize(context, request, 'any-key')
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

/** Whether the request has a key or a session but no signature: addresses in Markdown, which people paste, are unsigned. */
function isUnsigned({ query, headers }: FastifyRequest): boolean {
  const isSigned = 'signature' in (query as object) || 'expires' in (query as object)
  return !isSigned && (headers.authorization !== undefined || headers.cookie !== undefined)
}

async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  attachment: OpenAttachment,
): Promise<FastifyReply> {
  const { sizeBytes } = attachment
  const etag = `"${attachment.sha256}"`
  reply.header('etag', etag)
  if (hasBytes(request, etag)) return reply.code(304).send()
  const range =
    request.method === 'GET' && isRangeCurrent(request, etag)
      ? parseRange(request.headers.range, sizeBytes)
      : 'whole'
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
  return reply.send(await attachment.read(part))
}

/** Whether the client has the bytes already; `W/"a"` is as good as `"a"` here (RFC 9110, 13.1.2). */
function hasBytes({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-none-match'] ?? ''
  return condition === '*' || [...condition.matchAll(/"[^"]*"/g)].some(([one]) => one === etag)
}

function isRangeCurrent({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-range']
  return condition === undefined || condition === etag
}

const SignedSchema = z.object({
  params: z.object({ id: z.string() }),
  query: z.object({ expires: z.string().regex(/^\d{1,12}$/), signature: z.string() }),
})

/** Throws FORBIDDEN unless the request's address was signed by this service for this purpose and has not expired. */
async function verifySignedAddress(
  { signer }: Context,
  { params, query }: FastifyRequest,
  purpose: AddressPurpose,
): Promise<void> {
  const parsed = SignedSchema.safeParse({ params, query })
  if (!parsed.success) throw new HttpError('FORBIDDEN', `This ${purpose} address is not signed.`)
  signer.verify({ purpose, id: parsed.data.params.id, ...parsed.data.query })
}

/**
 * The range of a `Range` header (RFC 9110, 14.1.2). Several ranges and malformed headers get the whole, which the standard
 * allows.
 */
function parseRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return 'whole'
  const last = sizeBytes - 1
  if (match[1] === '') {
    const suffix = Number(match[2])
    return suffix === 0 || sizeBytes === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, sizeBytes - suffix), end: last }
  }
  const start = Number(match[1])
  const end = match[2] === '' ? last : Math.min(Number(match[2]), last)
  if (match[2] !== '' && Number(match[2]) < start) return 'whole'
  return start > last ? 'unsatisfiable' : { start, end }
}

const SAFE_INLINE = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|(?:video|audio)\/[\w.-]+)$/
const TEXT = /^(?:text\/(?:plain|csv|markdown|tab-separated-values)|application\/(?:json|x-ndjson|yaml))$/
const ACTIVE = /javascript|ecmascript|jscript|livescript|css|html|xml|svg|wasm|manifest|multipart|rfc822/

/**
 * Headers for bytes of unknown origin. Browsers show only types that cannot run scripts, and text as plain text; everything else,
 * such as SVG, HTML and PDF, is saved as a file and sandboxed if a browser shows it anyway. Types that a page could load as
 * script or style are never sent as such.
 */
function createContentHeaders(
  { mediaType, fileName }: Pick<OpenAttachment, 'mediaType' | 'fileName'>,
  forceDownload: boolean,
): Record<string, string> {
  const bare = bareMediaType(mediaType)
  const isText = TEXT.test(bare)
  const inline = !forceDownload && (isText || SAFE_INLINE.test(bare))
  return {
    'content-type':
      inline && isText ? 'text/plain; charset=utf-8' : ACTIVE.test(bare) ? UNKNOWN_MEDIA_TYPE : mediaType,
    'content-disposition': contentDisposition(dropBidiControls(fileName), {
      type: inline ? 'inline' : 'attachment',
    }),
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; sandbox",
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=1800',
  }
}
