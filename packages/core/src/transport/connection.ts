import type { LimitFunction } from 'p-limit'
import type { Duplex } from 'node:stream'
import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import { readTlsFiles, type TlsFiles } from '../config/tls-files'
import { ConfigError } from '../model/errors'
import { Pace } from './pace'
import { isProven } from './prove-service'
import { type RequestBody, SOCKS_PROXY, type Transport, type TransportRequest } from './transport'
import type { Proxies } from './undici-transport'

/** The way to a service, shared by everything that one process sends. */
export interface Connection {
  transport: Transport
  /** Bounds the requests under way, to `concurrency` at most. */
  limit: LimitFunction
}

/** @throws ConfigError when a file of the TLS options or a proxy's URL cannot be used. */
export async function openConnection(
  options: TlsFiles & Pick<ResolvedOptions, 'concurrency' | 'identity'>,
  env: Environment,
): Promise<Connection> {
  const { concurrency, identity } = options
  // It takes 25 ms to load, so only where there is something to send.
  const { createUndiciTransport } = await import('./undici-transport')
  const tls = await readTlsFiles(options, env)
  const proof = identity && { url: identity.url, isProven: (socket: Duplex) => isProven(socket, identity) }
  try {
    const pace = new Pace(concurrency)
    const transport = pace.watch(
      createUndiciTransport({ tls, proxies: findProxies(env), proof }, concurrency),
    )
    return { transport, limit: pace.limit }
  } catch {
    // Without its cause, which may hold the proxy's password.
    throw new ConfigError(
      'HTTPS_PROXY or HTTP_PROXY cannot be used: use a URL such as http://proxy.example:3128.',
    )
  }
}

/** A request; a body that is a function is made when the request's turn has come, once for all its tries. */
export type QueuedRequest = Omit<TransportRequest, 'body'> & {
  body?: RequestBody | (() => RequestBody) | undefined
}

export interface QueuedTransport extends Pick<Transport, 'close'> {
  send(request: QueuedRequest): ReturnType<Transport['send']>
}

/** Lets a request be under way, its retries included, only while the limit has room; several transports may share it. */
export function createQueuedTransport(inner: Transport, limit: LimitFunction): QueuedTransport {
  const makeBody = ({ body }: QueuedRequest) => (typeof body === 'function' ? body() : body)
  return {
    send: (request) => limit(() => inner.send({ ...request, body: makeBody(request) })),
    close: () => inner.close(),
  }
}

/** The lower-case names count first, as everywhere. */
function findProxies(env: Environment): Proxies {
  const httpProxy = env['http_proxy'] ?? env['HTTP_PROXY'] ?? ''
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? ''
  const [http, https] = [httpProxy, httpsProxy].map((url) => (/^socks/i.test(url) ? SOCKS_PROXY : url))
  return { httpProxy: http ?? '', httpsProxy: https ?? '', noProxy: listUnproxied(env) }
}

// A proxy cannot reach the service on this machine, and would be handed the local key. undici takes `*` only by itself.
function listUnproxied(env: Environment): string {
  const given = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  if (given.split(/[\s,]/).includes('*')) return '*'
  return [given, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',')
}
