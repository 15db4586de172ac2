import type { LimitFunction } from 'p-limit'
import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import { readTlsFiles, type TlsFiles } from '../config/tls-files'
import { ConfigError } from '../model/errors'
import { createNodeTransport } from './node-transport'
import { Pace } from './pace'
import { type FindProxy, readProxies } from './proxies'
import { type RequestBody, type Transport, type TransportRequest } from './transport'

export interface Connection {
  transport: Transport
  /** Limits concurrent requests to `concurrency`. */
  limit: LimitFunction
}

/** @throws ConfigError if a TLS file or a proxy's URL is invalid */
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

/** A function as body runs once, when the request's turn has come. */
export type QueuedRequest = Omit<TransportRequest, 'body'> & {
  body?: RequestBody | (() => RequestBody) | undefined
}

export interface QueuedTransport extends Pick<Transport, 'close'> {
  send(request: QueuedRequest): ReturnType<Transport['send']>
}

/** Holds a place in the limit until its retries are done; several transports may share it. */
export function createQueuedTransport(inner: Transport, limit: LimitFunction): QueuedTransport {
  const makeBody = ({ body }: QueuedRequest) => (typeof body === 'function' ? body() : body)
  return {
    send: (request) => limit(() => inner.send({ ...request, body: makeBody(request) })),
    close: () => inner.close(),
  }
}
