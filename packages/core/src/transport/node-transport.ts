import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import http from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { callbackify } from 'node:util'
import pLimit, { type LimitFunction } from 'p-limit'
import { version } from '../../package.json'
import { AttachmentError, describeError, NetworkError } from '../model/errors'
import { startTimeLimit } from '../util/time-limit'
import { withoutQuery } from '../util/text'
import { ClientRequest } from './client-request'
import { Sockets, type Way } from './open-socket'
import { type Target, targetOf } from './proxies'
import { type FileBody, MAX_RESPONSE_BYTES, type RequestBody } from './transport'
import type { Transport, TransportRequest, TransportResponse } from './transport'

const USER_AGENT = `runledger/${version} node/${process.versions.node}`
/** With Node's default of 64 KiB, large files take half as long again. */
const READ_BYTES = 256 * 1024
/** An idle connection is closed after this time, because the service may be about to close it. */
const IDLE_MS = 4_000

/** Node does not pass `signal` to agents, so `limit` repeats it. */
type Options = http.RequestOptions & { target: Target; limit: AbortSignal }

class Agent extends http.Agent {
  readonly #sockets: Sockets

  constructor(sockets: Sockets) {
    super({ keepAlive: true, timeout: IDLE_MS })
    this.#sockets = sockets
  }

  override createConnection(
    options: http.ClientRequestArgs,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { target, limit } = options as Options
    const open = callbackify(() => this.#sockets.open(target, limit))
    open((error, socket) => callback?.(error, socket))
  }

  /** Bytes on an idle connection belong to no request: it is closed. */
  override keepSocketAlive(socket: Duplex): boolean {
    socket.once('data', destroyThis)
    return Boolean(super.keepSocketAlive(socket))
  }

  override reuseSocket(socket: Duplex, request: http.ClientRequest): void {
    socket.off('data', destroyThis)
    super.reuseSocket(socket, request)
  }
}

function destroyThis(this: Duplex): void {
  this.destroy()
}

/** Sends with Node's HTTP client, at most `connections` requests at once. Request mockers in tests do not see them. */
export function createNodeTransport(way: Way, connections: number): Transport {
  const sockets = new Sockets(way)
  const agent = new Agent(sockets)
  const turn = pLimit(connections)
  return {
    send: (request) => sendRequest({ agent, turn }, request),
    close: async () => {
      sockets.closeAll()
      agent.destroy()
    },
  }
}

interface Client {
  agent: http.Agent
  turn: LimitFunction
}

async function sendRequest(client: Client, request: TransportRequest): Promise<TransportResponse> {
  const { method, url, timeoutMs, signal } = request
  const limit = startTimeLimit(timeoutMs, signal)
  let wasSent = false
  try {
    const plan = { signal: limit.signal, onSent: () => (wasSent = true) }
    return await exchange(client, request, plan)
  } catch (error) {
    if (error instanceof AttachmentError) return { kind: 'unsendable', error }
    const aborted = signal.aborted ? 'the deadline was reached' : `timed out after ${timeoutMs} ms`
    const what = `${method} ${withoutQuery(url)}: ${limit.signal.aborted ? aborted : describeCause(error)}`
    // Without its cause, which may hold the whole URL.
    if (isUnsendable(error))
      return { kind: 'unsendable', error: new NetworkError(`cannot send ${what}`, wasSent) }
    // It holds what the peer sent, which may repeat the key.
    Reflect.deleteProperty(error as Error, 'rawPacket')
    const networkError = new NetworkError(`no response from ${what}`, wasSent, { cause: error })
    return { kind: 'no-response', error: networkError }
  } finally {
    limit.stop()
  }
}

interface Exchange {
  signal: AbortSignal
  onSent: () => void
}

/** Rejects as soon as the signal aborts, though a queued request is dropped later. */
function exchange(
  { agent, turn }: Client,
  request: TransportRequest,
  { signal, onSent }: Exchange,
): Promise<TransportResponse> {
  const options = { ...formatRequest(request), agent, signal, limit: signal }
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    // After a blocked event loop, closed connections are noticed first.
    turn(async () => {
      await setImmediate()
      return signal.aborted ? undefined : carryOut(options, request, onSent)
    }).then((response) => response && resolve(response), reject)
  })
}

function carryOut(
  options: Options,
  { body, maxResponseBytes: maxBytes = MAX_RESPONSE_BYTES }: TransportRequest,
  onSent: () => void,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const request = new ClientRequest(options)
    request.once('socket', onSent).on('error', reject)
    request.once('response', (response) => resolve(readResponse(request, response, maxBytes)))
    if (isFile(body) && body.sizeBytes > 0) {
      writeFile(request, body).catch((error: unknown) => {
        reject(error as Error)
        request.destroy()
      })
    }
    // As bytes: with a text as body, Node writes the headers in its encoding.
    else request.end(isFile(body) ? undefined : body && Buffer.from(body))
  })
}

async function readResponse(
  request: http.ClientRequest,
  response: http.IncomingMessage,
  maxBytes: number,
): Promise<TransportResponse> {
  const { statusCode = 0, headers } = response
  if (closesSoon(headers['keep-alive'])) request.shouldKeepAlive = false
  const body = await readBody(response, maxBytes)
  // The service may answer before it has read the whole body.
  if (!request.writableFinished) request.destroy()
  const { date, 'retry-after': retryAfter } = headers
  return { kind: 'response', statusCode, retryAfter, date, headers, body }
}

/** The service's hint of its keep-alive time, in seconds. */
function closesSoon(hint: string | string[] | undefined): boolean {
  const seconds = /timeout=(\d+)/.exec(String(hint))?.[1]
  return seconds !== undefined && Number(seconds) * 1000 <= IDLE_MS
}

async function readBody(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw new Error(`the response has over ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** @throws TypeError, URIError if the URL is invalid */
function formatRequest({ method, url, headers, body }: TransportRequest) {
  const parsed = new URL(url)
  const { protocol, host, pathname, search, username, password } = parsed
  if (!/^https?:$/.test(protocol))
    throw Object.assign(new TypeError('not a URL of HTTP'), { code: 'ERR_INVALID_URL' })
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')
  const target = targetOf(parsed)
  return {
    target,
    protocol: 'http:',
    host: target.host,
    port: target.port,
    method,
    path: pathname + search,
    headers: {
      host,
      'user-agent': USER_AGENT,
      ...(username || password ? { authorization: `Basic ${credentials}` } : {}),
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(sizeOf(body)) }),
    },
  }
}

function sizeOf(body: RequestBody): number {
  return isFile(body) ? body.sizeBytes : Buffer.byteLength(body)
}

function isFile(body: RequestBody | undefined): body is FileBody {
  return typeof body === 'object' && 'path' in body
}

/** Writes as fast as the connection takes it, and stops when that is closed. */
async function writeFile(request: http.ClientRequest, file: FileBody): Promise<void> {
  const closed = new AbortController()
  request.once('close', () => closed.abort())
  for await (const chunk of readFile(file)) {
    if (!request.write(chunk)) await once(request, 'drain', { signal: closed.signal })
  }
  request.end()
}

async function* readFile({ path, sizeBytes }: FileBody): AsyncGenerator<Uint8Array> {
  let readBytes = 0
  try {
    const stream: AsyncIterable<Uint8Array> = createReadStream(path, {
      end: sizeBytes - 1,
      highWaterMark: Math.min(READ_BYTES, sizeBytes),
    })
    for await (const chunk of stream) {
      readBytes += chunk.byteLength
      yield chunk
    }
  } catch (error) {
    throw new AttachmentError(`the file cannot be read: ${describeError(error)}`, { cause: error })
  }
  if (readBytes < sizeBytes)
    throw new AttachmentError(`the file has shrunk from ${sizeBytes} to ${readBytes} bytes`)
}

const UNSENDABLE = new Set<unknown>([
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_INVALID_URL',
  'ERR_SOCKS_PROXY',
])

/** The request itself is at fault, for example an invalid URL or header. */
function isUnsendable(error: unknown): boolean {
  return error instanceof URIError || UNSENDABLE.has((error as NodeJS.ErrnoException).code)
}

/** A host with several addresses gives an AggregateError with an empty message. */
function describeCause(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  if (describeError(error) === 'socket hang up') return 'the connection was closed'
  const message = describeError(error)
  return message.includes(code) ? message : `${code} ${message}`
}
