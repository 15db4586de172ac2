import type { Socket } from 'node:net'
import type * as undiciModule from 'undici'
import type { Dispatcher } from 'undici'
import { AttachmentError, ConfigError } from '../model/errors'
import { openFileBody } from './file-body'
import { toNetworkError } from './network-error'
import { startTimeLimit } from '../util/time-limit'
import type { TlsMaterial } from './tls-files'
import {
  isInPieces,
  MAX_ANSWER_BYTES,
  type RequestBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport'

const CLOSE_TIMEOUT_MS = 250

type Undici = Pick<typeof undiciModule, 'EnvHttpProxyAgent' | 'buildConnector' | 'errors'>

/** Addresses of proxies, empty where there is none, and the hosts that are not reached through one, as `NO_PROXY` names them. */
export interface Proxies {
  http: string
  https: string
  unproxied: string
}

export interface UndiciSettings {
  tls: TlsMaterial
  connections: number
  proxies: Proxies
  /** As `TransportSettings` has it. */
  isBackground: boolean
}

/**
 * A transport on undici's own connection pool, which honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Request mockers in
 * the user's tests cannot touch it, nor it their `fetch`. @throws ConfigError when a proxy's address is none.
 */
export async function createUndiciTransport(settings: UndiciSettings): Promise<Transport> {
  const { isBackground, tls, proxies } = settings
  const undici = await importUndici()
  const dispatcher = createDispatcher(undici, {
    connections: settings.connections,
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: proxies.unproxied,
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
  } catch {
    // Without its cause, which holds the address, and with it a password.
    throw new ConfigError(
      `HTTPS_PROXY or HTTP_PROXY cannot be used: use an address such as http://proxy.example:3128.`,
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
    const isCut = limit.signal.aborted
    const networkError = toNetworkError(error, request, { isCut, wasSent: isCut || !isBeforeSending(error) })
    const isOurFault = error instanceof undici.errors.InvalidArgumentError
    return { kind: isOurFault ? 'unsendable' : 'no-answer', error: networkError }
  } finally {
    limit.stop()
  }
}

const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*|UND_ERR_INVALID_ARG|ERR_INVALID_.*)$/

/**
 * No connection was made, or the request itself is none, so that the service cannot have seen the request. Errors of a
 * connection that is there may have some of the same codes, and TLS has one set of codes for before and after.
 */
function isBeforeSending(error: unknown): boolean {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  return UNSENT.test(code) && syscall !== 'read' && syscall !== 'write'
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
  if (isInPieces(body)) return Buffer.concat(body)
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
