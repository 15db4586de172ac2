import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { finished, type Readable } from 'node:stream'
import { HttpError } from '../../base/errors'
import { type BodyMemory, hasBody } from './body-limits'
import { parseJson } from '../../base/parse-json'

/** Reads JSON bodies; other and compressed ones get 415, malformed JSON 400 PARSE_ERROR. */
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

/** Bytes are stored and parsed as sent, never decompressed. @throws HttpError UNSUPPORTED_MEDIA_TYPE */
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

/** Requests with bodies over 64 KiB. */
const withLargeBody = new WeakSet<FastifyRequest>()

/** Whether checking the body must yield to other requests. */
export function hasLargeBody(request: FastifyRequest): boolean {
  return withLargeBody.has(request)
}

// How long to wait for the end of a body that is ignored.
const USELESS_BODY_MS = 2_000
const LATE_MESSAGE = 'The body, of which this operation has no use, did not end in time. Send none.'

/**
 * Ignores bodies, for routes that have no use for one. The handler still waits for the end of the body: a request that breaks off
 * before its end must do nothing.
 */
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

// A piece is at most 64 KiB, which makes about 12 MiB a second for each sender.
const DISCARDED_PIECE_MS = 5

/** Reads and discards a body, with a pause after each piece: a few fast senders would otherwise use all of the service's time. */
function discard(payload: Readable): void {
  payload.on('data', () => {
    payload.pause()
    setTimeout(() => payload.resume(), DISCARDED_PIECE_MS)
  })
}

// How long a refused client may go on sending before it is cut off.
const REFUSED_BODY_MS = 10_000

/**
 * Keeps the connection of a client that was refused in the middle of its body open for a while, and discards what comes. Some
 * clients look for the response only after they have sent everything, and would lose it with the connection.
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
