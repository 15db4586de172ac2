import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { finished, type Readable } from 'node:stream'
import { HttpError } from '../../base/errors'
import { type BodyMemory, hasBody } from './body-limits'
import { parseJson } from '../../base/parse-json'

/** Other and compressed bodies get 415, malformed JSON 400 PARSE_ERROR. */
export function acceptJsonOnly(app: FastifyInstance, memory: BodyMemory): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    async (request: FastifyRequest, payload: Readable) => {
      refuseCompressed(request)
      const body = await memory.read(request, payload)
      if (body.length > LARGE_BYTES) withLargeBody.add(request)
      return parseJson(body)
    },
  )
}

/** @throws HttpError UNSUPPORTED_MEDIA_TYPE, because bytes are stored and parsed as sent */
export function refuseCompressed({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding']?.trim() ?? ''
  if (coding === '' || coding.toLowerCase() === 'identity') return
  throw new HttpError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The header Content-Encoding "${coding}" says that the body is compressed. This service does not decompress bodies. Send it uncompressed, without the header.`,
  )
}

// Smaller bodies take some milliseconds at most to check.
const LARGE_BYTES = 64 * 1024

const withLargeBody = new WeakSet<FastifyRequest>()

/** Checking a large body must yield to other requests. */
export function hasLargeBody(request: FastifyRequest): boolean {
  return withLargeBody.has(request)
}

const USELESS_BODY_MS = 2_000
const LATE_MESSAGE = 'The body, of which this operation has no use, did not end in time. Send none.'

/** For routes that have no use for a body. The handler still waits for its end: a request that breaks off must do nothing. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    let isOver = false
    const end = (error: Error | null) => {
      clearTimeout(timer)
      if (!isOver) done(error)
      isOver = true
    }
    const timer = setTimeout(() => end(new HttpError('BAD_REQUEST', LATE_MESSAGE)), USELESS_BODY_MS)
    finished(payload, { writable: false }, (error) => end(error ?? null))
    discard(payload)
  })
  // Fastify refuses an invalid media type before it looks for a parser.
  app.addHook('onRequest', async ({ headers }) => {
    delete headers['content-type']
  })
}

// A piece is at most 64 KiB, so each sender gets about 12 MiB a second.
const DISCARDED_PIECE_MS = 5

/** Pauses after each piece, because a few fast senders would use all of the service's time. */
function discard(payload: Readable): void {
  payload.on('data', () => {
    payload.pause()
    setTimeout(() => payload.resume(), DISCARDED_PIECE_MS)
  })
}

const REFUSED_BODY_MS = 10_000

/**
 * Discards what a refused client still sends, for a while. Some clients read the response only after they have sent everything,
 * and would lose it with the connection.
 */
export function readRefusedBodies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => keepOpen(request, reply))
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete) return
    discard(raw)
    setTimeout(() => {
      if (!raw.complete) raw.destroy()
    }, REFUSED_BODY_MS).unref()
  })
}

function keepOpen({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (hasBody(raw) && !raw.complete) reply.header('connection', 'keep-alive')
}
