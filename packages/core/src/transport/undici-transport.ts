import type { Socket } from 'node:net'
import type * as undiciModule from 'undici'
import type { Dispatcher } from 'undici'
import { AttachmentError, ConfigError, describeError, NetworkError } from '../errors'
import type { Environment } from '../options/options'
import { withoutQuery } from '../redact'
import { openFileBody } from './file-body'
import { startTimeLimit } from './time-limit'
import { readTlsFiles, type TlsFiles } from './tls-files'
import type { RequestBody, Transport, TransportRequest, TransportResponse } from './transport'

/** Longest answer that is read, in bytes: what the interface answers is far shorter. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const CLOSE_TIMEOUT_MS = 250

type Undici = Pick<typeof undiciModule, 'EnvHttpProxyAgent' | 'buildConnector' | 'errors'>

export interface TransportSettings {
  tlsFiles: TlsFiles
  connections: number
  env: Environment
  /** Nothing of it keeps the process alive, but for what goes through a proxy, which has the request's time limit. */
  isBackground?: boolean
}

/**
 * A transport on undici's own connection pool: request mockers in the user's tests cannot touch it, nor it their
 * `fetch`. Honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY; this machine is never reached through a proxy.
 * @throws ConfigError when a file of the TLS options cannot be used, or a proxy's address is none.
 */
export async function createUndiciTransport(options: TransportSettings): Promise<Transport> {
  const { isBackground = false } = options
  const tls = await readTlsFiles(options.tlsFiles, options.env)
  const undici = await importUndici()
  const dispatcher = createDispatcher(undici, {
    connections: options.connections,
    noProxy: listUnproxied(options.env),
    connect: isBackground ? connectInBackground(undici, tls) : tls,
    requestTls: tls,
    ...(tls.ca && { proxyTls: { ca: tls.ca } }),
  })
  return {
    send: (request) => sendRequest({ undici, dispatcher, isBackground }, request),
    close: () => closeDispatcher(dispatcher),
  }
}

// Its index loads four times as much (fetch, caches, mocks, WebSocket) and sets a global symbol that it shares with
// Node's built-in fetch, which then breaks on Node 20 and 22. These parts set none.
async function importUndici(): Promise<Undici> {
  const [agent, dispatcher, api, connect, errors] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/index.js'),
    import('undici/lib/core/connect.js'),
    import('undici/lib/core/errors.js'),
  ])
  // As the index does: without it a dispatcher has no requests, and a proxy no tunnels.
  Object.assign(dispatcher.default.prototype, api.default)
  return { EnvHttpProxyAgent: agent.default, buildConnector: connect.default, errors: errors.default }
}

function createDispatcher(undici: Undici, options: undiciModule.EnvHttpProxyAgent.Options): Dispatcher {
  try {
    return new undici.EnvHttpProxyAgent(options)
  } catch (error) {
    throw new ConfigError(
      `HTTPS_PROXY or HTTP_PROXY cannot be used: use an address such as http://proxy.example:3128.`,
      { cause: error },
    )
  }
}

/** undici holds the process while a request waits for its answer; a socket that cannot be held lets it go. */
function connectInBackground(
  undici: Undici,
  tls: undiciModule.buildConnector.BuildOptions,
): undiciModule.buildConnector.connector {
  const connect = undici.buildConnector(tls)
  return (options, callback) => {
    // Typed as answering nothing, it answers the socket.
    const socket = connect(options, callback) as unknown as Socket
    socket.unref()
    socket.ref = () => socket
    return socket
  }
}

// A proxy cannot reach the service on this machine, and would be handed the local key. `*` counts only by itself.
function listUnproxied(env: Environment): string {
  const given = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  if (given.split(/[\s,]/).includes('*')) return '*'
  return [given, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',')
}

async function sendRequest(
  { undici, dispatcher, isBackground }: { undici: Undici; dispatcher: Dispatcher; isBackground: boolean },
  request: TransportRequest,
): Promise<TransportResponse> {
  const limit = startTimeLimit(request.timeoutMs, request.signal)
  if (isBackground) limit.unref()
  try {
    return await untilAborted(
      exchange(undici, dispatcher, { ...request, signal: limit.signal }),
      limit.signal,
    )
  } catch (error) {
    if (error instanceof AttachmentError) return { kind: 'unsendable', error }
    const networkError = toNetworkError(error, request, limit.signal.aborted)
    const isOurFault = error instanceof undici.errors.InvalidArgumentError
    return { kind: isOurFault ? 'unsendable' : 'no-answer', error: networkError }
  } finally {
    limit.stop()
  }
}

async function exchange(
  undici: Undici,
  dispatcher: Dispatcher,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { origin, pathname, search } = parseAddress(undici, request.url)
  const answer = await dispatcher.request({
    origin,
    path: pathname + search,
    method: request.method,
    headers: { ...request.headers, ...lengthHeader(request.body) },
    body: openBody(request.body),
    signal: request.signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const { 'retry-after': retryAfter } = answer.headers
  return {
    kind: 'answer',
    statusCode: answer.statusCode,
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    body: await readAnswer(answer.body),
  }
}

/** undici heeds a signal only once it has a connection: what never gets one, from a host or a proxy, is left to itself. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let cut: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    cut = () => reject(new Error('it was aborted'))
    signal.addEventListener('abort', cut, { once: true })
    if (signal.aborted) cut()
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

function parseAddress({ errors }: Undici, url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed
  throw new errors.InvalidArgumentError('it is no address of the web')
}

function lengthHeader(body: RequestBody | undefined): Record<string, string> {
  return typeof body === 'object' && 'path' in body ? { 'content-length': String(body.sizeBytes) } : {}
}

function openBody(body: RequestBody | undefined): NonNullable<Dispatcher.DispatchOptions['body']> | null {
  if (body === undefined || typeof body === 'string') return body ?? null
  if (!('path' in body)) return body
  return body.sizeBytes === 0 ? null : (openFileBody(body) as never)
}

async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toNetworkError(error: unknown, request: TransportRequest, isCut: boolean): NetworkError {
  const { method, url, timeoutMs } = request
  const cut = request.signal.aborted ? 'the deadline was reached' : `none within ${timeoutMs} ms`
  const cause = isCut ? cut : describeCause(error)
  const wasSent = isCut || !isBeforeSending(error)
  return new NetworkError(`no answer from ${method} ${withoutQuery(url)}: ${cause}`, {
    cause: error,
    wasSent,
  })
}

const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*|ERR_SSL_.*|EPROTO|UND_ERR_INVALID_ARG)$/

/** No connection was made, so that the service cannot have seen the request. */
function isBeforeSending(error: unknown): boolean {
  return UNSENT.test((error as NodeJS.ErrnoException | undefined)?.code ?? '')
}

// A refused connection to a name with several addresses is an AggregateError with an empty message.
function describeCause(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const message = describeError(error)
  return code === undefined || message.includes(code) ? message : `${code} ${message}`
}

/** Waits for what is under way, then cuts it; a tunnel that a proxy never opens is not waited for. */
async function closeDispatcher(dispatcher: Dispatcher): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)
  })
  await Promise.race([dispatcher.close().catch(() => undefined), tired])
  clearTimeout(timer)
  dispatcher.destroy().catch(() => undefined)
}
