import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUtf8 } from 'node:buffer'
import { finished, type Readable } from 'node:stream'
import { HttpError } from '../errors'
import { type BodyRooms, hasBody } from './body-limits'

/** Reads bodies labelled as JSON, and no others (then 415); malformed JSON is 400 PARSE_ERROR. */
export function acceptJsonOnly(app: FastifyInstance, rooms: BodyRooms): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    async (request: FastifyRequest, payload: Readable) => parseJson(await rooms.read(request, payload)),
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
    discard(payload)
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
    if (!isUtf8(payload)) throw new TypeError('it is not UTF-8')
    return JSON.parse(payload.toString('utf8', payload.indexOf(BYTE_ORDER_MARK) === 0 ? 3 : 0)) as unknown
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HttpError('PARSE_ERROR', `The body is not valid JSON: ${reason}`, { cause: error })
  }
}

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Reads a body and forgets it, one piece between other work: as fast as they come, the pieces of a few senders would leave
 * the service no time for anybody else.
 */
function discard(payload: Readable): void {
  payload.on('data', () => {
    payload.pause()
    setImmediate(() => payload.resume())
  })
}

/** Most lists and objects in one body: twice as many as a run of 16 MiB has whose phases are of the usual size. */
export const MAX_CONTAINERS = 400_000

/** Most values in the lists and objects of one body together: as many as a run of 16 MiB has of the shortest steps. */
export const MAX_VALUES = 800_000

/** Most names in one object: a parser of JSON gets slow with more. */
export const MAX_NAMES = 10_000

// Below this size no body can hold enough to matter, and most bodies are.
const SMALL_BYTES = 256 * 1024

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = Buffer.from('"\\,[{]}')

/**
 * Refuses a body of JSON that would take gigabytes of memory, or seconds, once it is parsed: `[[[[…` and `{},{},…` take
 * some sixty bytes for each of theirs. @throws HttpError PAYLOAD_TOO_LARGE
 */
export function refuseCrowdedBody(payload: Buffer): void {
  if (payload.length <= SMALL_BYTES) return
  let containers = 0
  let commas = 0
  // Names so far of each object that is open, and of each list so few that it never has too many.
  const names: number[] = [-Infinity]
  for (let at = 0; at < payload.length; at += 1) {
    const byte = payload[at]
    if (byte === QUOTE) at = findStringEnd(payload, at)
    else if (byte === COMMA) {
      commas += 1
      names[names.length - 1] = (names.at(-1) ?? 0) + 1
      if (commas > MAX_VALUES || (names.at(-1) ?? 0) >= MAX_NAMES) throw createTooCrowded()
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      containers += 1
      names.push(byte === OPEN_LIST ? -Infinity : 0)
      if (containers > MAX_CONTAINERS) throw createTooCrowded()
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) names.pop()
  }
}

function createTooCrowded(): HttpError {
  const most = `${MAX_CONTAINERS} lists and objects, ${MAX_VALUES} values, or ${MAX_NAMES} names in one object`
  return new HttpError('PAYLOAD_TOO_LARGE', `The body has more than ${most}. Send less in one request.`)
}

/** Where the string ends that begins here; the end of the body when it does not. */
function findStringEnd(payload: Buffer, start: number): number {
  let end = start + 1
  while (end < payload.length && payload[end] !== QUOTE) end += payload[end] === BACKSLASH ? 2 : 1
  return end
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
