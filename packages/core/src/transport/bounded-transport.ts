import type { LimitFunction } from 'p-limit'
import type { RequestBody, Transport, TransportRequest } from './transport'

/** A request; a body that is a function is made when the request's turn has come, once for all its tries. */
export type BoundedRequest = Omit<TransportRequest, 'body'> & {
  body?: RequestBody | (() => RequestBody)
}

export interface BoundedTransport extends Pick<Transport, 'close'> {
  send(request: BoundedRequest): ReturnType<Transport['send']>
}

/** Lets a request be under way, its retries included, only while the limit has room; several transports may share it. */
export function createBoundedTransport(inner: Transport, limit: LimitFunction): BoundedTransport {
  return {
    send: (request) => limit(() => inner.send(makeBody(request))),
    close: () => inner.close(),
  }
}

function makeBody({ body, ...request }: BoundedRequest): TransportRequest {
  if (body === undefined) return request
  return { ...request, body: typeof body === 'function' ? body() : body }
}
