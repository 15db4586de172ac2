import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { Database } from '../database/database'

export const JSON_TYPE = 'application/json'

/** An answer that is too long to be made in one piece: its JSON, read and written as its client takes it. */
export class JsonText {
  /** Reads by itself: the snapshot in which the answer began is over by then. */
  readonly write: (database: Database) => AsyncIterable<string>

  constructor(write: JsonText['write']) {
    this.write = write
  }
}

/** Sends JSON labelled exactly `application/json`: existing clients compare the whole string (contract decisions). */
export function sendJson(reply: FastifyReply, statusCode: number, body: unknown): FastifyReply {
  return reply
    .code(statusCode)
    .header('content-type', JSON_TYPE)
    .send(Buffer.from(JSON.stringify(body)))
}

/** The same for a text that is made while it is sent. */
export function sendJsonText(reply: FastifyReply, text: AsyncIterable<string>): FastifyReply {
  return reply
    .code(200)
    .header('content-type', JSON_TYPE)
    .send(Readable.from(text, { objectMode: false }))
}

/** JSON of an object; members that are texts in pieces are JSON already. */
export async function* writeObject(members: object): AsyncGenerator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    yield `${before}${JSON.stringify(name)}:`
    before = ','
    if (isInPieces(value)) yield* value
    else yield JSON.stringify(value)
  }
  yield '}'
}

function isInPieces(value: unknown): value is AsyncIterable<string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** JSON of a list, some items at a time. */
export async function* writeList(pieces: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = '['
  for await (const items of pieces) {
    if (items.length === 0) continue
    yield before + JSON.stringify(items).slice(1, -1)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
