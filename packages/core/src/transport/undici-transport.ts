import { createReadStream } from 'node:fs'
import type { Duplex, Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
// Parts of undici: its index sets a global that Node's own fetch shares, which breaks fetch on Node 20 and 22.
import openTunnel from 'undici/lib/api/api-connect.js'
import buildConnector from 'undici/lib/core/connect.js'
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { version } from '../../package.json'
import type { TlsMaterial } from '../config/tls-files'
import { AttachmentError, describeError, NetworkError, UnprovenError } from '../model/errors'
import { startTimeLimit } from '../util/time-limit'
import { withoutQuery } from '../util/text'
import { withOriginalConnect } from '../util/original-connect'
import { MAX_RESPONSE_BYTES, SOCKS_PROXY, type FileBody, type RequestBody } from './transport'
import type { Transport, TransportRequest, TransportResponse } from './transport'

const USER_AGENT = `runledger/${version} node/${process.versions.node}`
const CLOSED = 'the transport was closed'
/** Read from a file at once, in bytes. With Node's default of 64 KiB large files take half as long again. */
const READ_BYTES = 256 * 1024

/** URLs of proxies, empty where there is none, and the hosts that are reached without one, as in `NO_PROXY`. */
export interface Proxies {
  httpProxy: string
  httpsProxy: string
  noProxy: string
}

/** How a service proves its identity on every connection. */
export interface Proof {
  url: string
  isProven: (socket: Duplex) => Promise<boolean>
}

interface Way {
  tls: TlsMaterial
  proxies: Proxies
  /** Undefined for a service that has no proof to give. */
  proof: Proof | undefined
}

/**
 * A transport on undici's connection pools, with so many connections to one origin at most. Request mockers in the user's tests do not see its requests.
 * @throws Error when a proxy's URL cannot be used; it may hold the proxy's password.
 */
export function createUndiciTransport({ tls, proxies, proof }: Way, connections: number): Transport {
  const sockets = new OpenSockets()
  const dispatcher = new EnvHttpProxyAgent({
    ...proxies,
    connections,
    maxResponseSize: MAX_RESPONSE_BYTES,
    // Each request has a time limit of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: sockets.watch(proving(buildConnector(tls), proof)),
    requestTls: tls,
    proxyTls: tls.ca ? { ca: tls.ca } : {},
    clientFactory: (origin, options) => {
      const { connect } = options as { connect: buildConnector.connector }
      return createProxyPool(origin, origin.origin === SOCKS_PROXY ? refuseSocks : sockets.watch(connect))
    },
  })
  return {
    send: (request) => sendRequest(dispatcher, request),
    close: async () => {
      sockets.destroy()
      await dispatcher.destroy()
    },
  }
}

/**
 * Hands over a connection only after the service of local credentials has proved its identity, before anything is sent. TLS proves it
 * otherwise.
 */
function proving(connect: buildConnector.connector, proof: Proof | undefined): buildConnector.connector {
  const url = proof && new URL(proof.url)
  if (proof === undefined || url?.protocol !== 'http:') return connect
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      const isService = options.protocol === url.protocol && options.host === url.host
      void (isService ? handOver(socket, proof, callback) : callback(null, socket))
    })
}

async function handOver(
  socket: NonNullable<Parameters<buildConnector.Callback>[1]>,
  { url, isProven }: Proof,
  callback: buildConnector.Callback,
): Promise<void> {
  if (await isProven(socket)) return callback(null, socket)
  socket.destroy()
  callback(new UnprovenError(url), null)
}

const refuseSocks: buildConnector.connector = (_, callback) => {
  const error = new Error('HTTPS_PROXY or HTTP_PROXY names a SOCKS proxy: use one that speaks HTTP')
  callback(Object.assign(error, { code: 'UND_ERR_NOT_SUPPORTED' }), null)
}

/** The connections to a proxy, with the method that opens a tunnel, which undici's index would add. */
function createProxyPool(origin: URL, connect: buildConnector.connector): Pool {
  const pool = new Pool(origin, { connect })
  const connectTunnel = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    try {
      return await openTunnel.call(pool, options)
    } catch (error) {
      // Given this code, undici would try again and again, without a pause.
      if ((error as NodeJS.ErrnoException).code !== 'UND_ERR_SOCKET') throw error
      throw new Error('the proxy closed the connection', { cause: error })
    }
  }
  return Object.assign(pool, { connect: connectTunnel })
}

/** Every socket until it has closed: undici's own `destroy` does not close those that are still connecting. */
class OpenSockets {
  readonly #open = new Set<Duplex>()
  #isClosed = false

  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      if (this.#isClosed) return callback(new Error(CLOSED), null)
      // undici's connectors return the socket, though their type does not say so.
      const socket = withOriginalConnect(() => connect(options, callback)) as unknown as Duplex
      this.#open.add(socket)
      // Nobody else listens while a tunnel is handed on: its error would be an uncaught one.
      socket.on('error', () => undefined).once('close', () => this.#open.delete(socket))
    }
  }

  destroy(): void {
    this.#isClosed = true
    for (const socket of this.#open) socket.destroy(new Error(CLOSED))
  }
}

async function sendRequest(dispatcher: Dispatcher, request: TransportRequest): Promise<TransportResponse> {
  const { method, url, timeoutMs, signal } = request
  const limit = startTimeLimit(timeoutMs, signal)
  let wasSent = false
  try {
    const plan = { signal: limit.signal, onSent: () => (wasSent = true) }
    return await exchange(dispatcher, formatRequest(request), plan)
  } catch (error) {
    if (error instanceof AttachmentError) return { kind: 'unsendable', error }
    const aborted = signal.aborted ? 'the deadline was reached' : `timed out after ${timeoutMs} ms`
    const what = `${method} ${withoutQuery(url)}: ${limit.signal.aborted ? aborted : describeCause(error)}`
    // Without its cause, which may hold the whole URL.
    if (isRefused(error))
      return { kind: 'unsendable', error: new NetworkError(`cannot send ${what}`, wasSent) }
    const networkError = new NetworkError(`no response from ${what}`, wasSent, { cause: error })
    return { kind: 'no-response', error: networkError }
  } finally {
    limit.stop()
  }
}

/**
 * Calls `onSent` when undici begins to write on an open (with TLS: verified) connection, so that the service may have seen it.
 * Rejects as soon as the signal aborts, though undici only drops a waiting request when its turn has come.
 */
function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { signal, onSent }: { signal: AbortSignal; onSent: () => void },
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    const abort = (): void => {
      reject(signal.reason as Error)
      controller?.abort(signal.reason as Error)
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    let [statusCode, retryAfter, date]: [number, string | undefined, string | undefined] = [
      0,
      undefined,
      undefined,
    ]
    const chunks: Uint8Array[] = []
    dispatcher.dispatch(options, {
      onRequestStart: (started) => {
        if (signal.aborted) return started.abort(signal.reason as Error)
        controller = started
        onSent()
      },
      // Informational responses come first; the last one counts.
      onResponseStart: (_, status, headers) => {
        statusCode = status
        retryAfter = [headers['retry-after']].flat()[0]
        date = [headers['date']].flat()[0]
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        const body = Buffer.concat(chunks).toString('utf8')
        resolve({ kind: 'response', statusCode, retryAfter, date, body })
      },
      onResponseError: (_, error) => reject(error),
    })
  })
}

/** @throws TypeError, URIError when the URL is invalid. */
function formatRequest({ method, url, headers, body }: TransportRequest): Dispatcher.DispatchOptions {
  const { origin, pathname, search, username, password } = new URL(url)
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')
  return {
    origin,
    path: pathname + search,
    method,
    headers: {
      'user-agent': USER_AGENT,
      ...(username || password ? { authorization: `Basic ${credentials}` } : {}),
      ...headers,
      ...(isFile(body) ? { 'content-length': String(body.sizeBytes) } : {}),
    },
    body: isFile(body) ? openFile(body) : (body ?? null),
  }
}

function isFile(body: RequestBody | undefined): body is FileBody {
  return typeof body === 'object' && 'path' in body
}

/** undici takes any async iterable, though its type does not say so. */
function openFile(file: FileBody): Readable | null {
  return file.sizeBytes === 0
    ? null
    : ({ [Symbol.asyncIterator]: () => readFile(file) } as unknown as Readable)
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

const REFUSED = new Set<unknown>(['ERR_INVALID_URL', 'UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'])

/** The request itself is at fault: its URL or a header is illegal, say. */
function isRefused(error: unknown): boolean {
  return error instanceof URIError || REFUSED.has((error as NodeJS.ErrnoException).code)
}

/** A refused connection to a host with several addresses is an AggregateError with an empty message. */
function describeCause(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  const message = describeError(error)
  return message.includes(code) ? message : `${code} ${message}`
}
