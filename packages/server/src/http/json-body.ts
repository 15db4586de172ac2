import type { FastifyInstance } from 'fastify'
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

/** Takes no notice of bodies, whatever they are and are labelled as: for routes that have no use for one. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
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
