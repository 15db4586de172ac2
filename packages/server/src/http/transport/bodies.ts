import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { finished, type Readable } from 'node:stream'
import { HttpError } from '../../base/errors'
import { type BodyMemory, hasBody } from './body-limits'
import { parseJson } from '../../base/parse-json'

/** Reads bodies labelled as JSON, and no others (then 415), compressed ones neither; malformed JSON is 400 PARSE_ERROR. */
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

/** What is stored or parsed is what was sent. @throws HttpError UNSUPPORTED_MEDIA_TYPE */
export function refuseCompressed({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding']?.trim() ?? ''
  if (coding === '' || coding.toLowerCase() === 'identity') return
  throw new HttpError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The header Content-Encoding "${coding}" says that the body is compressed. This service does not decompress bodies. Send it uncompressed, without the header.`,
  )
}

// Below this size a check of what is in a body takes some milliseconds at most.
const LARGE_BYTES = 64 * 1024

/** Whose bodies are larger. */
const withLargeBody = new WeakSet<FastifyRequest>()

/** Tells whether others must have their turn while the body of a request is checked. */
export function hasLargeBody(request: FastifyRequest): boolean {
  return withLargeBody.has(request)
}

// How long the end of a body is waited for that nobody reads.
const USELESS_BODY_MS = 2_000
const LATE_MESSAGE = 'The body, of which this operation has no use, did not end in time. Send none.'

/**
 * Takes no notice of bodies, whatever they are and are labelled as: for routes that have no use for one. A body is let
 * run out all the same: of a request that breaks off before its end, nothing is done.
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
  // Fastify refuses a label that is no media type before it looks for a parser.
  app.addHook('onRequest', async ({ headers }) => {
    delete headers['content-type']
  })
}

// A piece is 64 KiB at most, so some 12 MiB a second of each sender.
const DISCARDED_PIECE_MS = 5

/**
 * Reads a body and forgets it, a piece at a time: as fast as they come, the pieces of a few senders would leave the
 * service no time for anybody else.
 */
function discard(payload: Readable): void {
  payload.on('data', () => {
    payload.pause()
    setTimeout(() => payload.resume(), DISCARDED_PIECE_MS)
  })
}

// How long a client that was refused may go on sending before it is cut off.
const REFUSED_BODY_MS = 10_000

/**
 * Lets a client that is answered in the middle of its body hear the response. Some look for it only after they have
 * sent everything, and a connection that is closed under them loses it: so it stays open, for a while, and what comes
 * is read and forgotten.
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
