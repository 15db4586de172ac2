import type { LimitFunction } from 'p-limit'
import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import { readTlsFiles, type TlsFiles } from '../config/tls-files'
import { ConfigError } from '../model/errors'
import { createNodeTransport } from './node-transport'
import { Pace } from './pace'
import { type FindProxy, readProxies } from './proxies'
import { type RequestBody, type Transport, type TransportRequest } from './transport'

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
  const tls = await readTlsFiles(options, env)
  const pace = new Pace(concurrency)
  const transport = createNodeTransport({ tls, findProxy: findProxies(env), identity }, concurrency)
  return { transport: pace.watch(transport), limit: pace.limit }
}

function findProxies(env: Environment): FindProxy {
  try {
    return readProxies(env)
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
