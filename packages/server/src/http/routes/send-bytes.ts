import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenAttachment } from '../../record/files/attachments/bytes'
import type { ByteRange } from '../../storage/blobs/blob-store'

export async function sendBytes(
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

/** `W/"a"` is as good as `"a"` here (RFC 9110, 13.1.2). */
function hasBytes({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-none-match'] ?? ''
  return condition === '*' || [...condition.matchAll(/"[^"]*"/g)].some(([one]) => one === etag)
}

function isRangeCurrent({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-range']
  return condition === undefined || condition === etag
}

/** RFC 9110, 14.1.2. Several ranges and malformed headers get the whole, which the RFC allows. */
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
