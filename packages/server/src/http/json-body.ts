import type { FastifyInstance } from 'fastify'
import { finished } from 'node:stream'
import { HttpError } from '../errors'
import { refuseCrowdedBody } from './crowded-body'

/** Reads bodies labelled as JSON, and no others (then 415); malformed JSON is 400 PARSE_ERROR. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer' },
    (_request, payload, done) => {
      try {
        done(null, parseJson(payload as Buffer))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  )
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
    payload.resume()
  })
  // Fastify refuses a label that is no media type before it looks for a parser.
  app.addHook('onRequest', async ({ headers }) => {
    delete headers['content-type']
  })
}

function parseJson(payload: Buffer): unknown {
  if (payload.length === 0) return undefined
  refuseCrowdedBody(payload)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)) as unknown
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HttpError('PARSE_ERROR', `The body is not valid JSON: ${reason}`, { cause: error })
  }
}
